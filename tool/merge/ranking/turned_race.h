// A race of an earlier execution that is to go the other way in a candidate's next one. Found by
// tool/merge/replay/observed_races.h.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::merge {

// In which order threads are to come to an element: as they did, up to the first access of the race, and then
// its second one. What follows is left open.
struct TurnedRace {
  struct Turn {
    std::string thread;  // as in logs: "0.2.1"
    std::uint64_t accesses = 0;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  std::uint64_t element = 0;  // its id
  std::vector<Turn> turns;
  friend auto operator<=>(const TurnedRace&, const TurnedRace&) = default;
};

}  // namespace heddle::merge
