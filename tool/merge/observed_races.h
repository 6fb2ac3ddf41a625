// Feedback from an execution that did not show the bug (PRES: Park, Zhou et al., SOSP 2009, §4): accesses of
// two threads to the same memory that came in one order, and could have come in the other as far as anybody
// knows. The next execution is made to turn one of them round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tool/artifact/trace.h"

namespace heddle::merge {

// In which order threads are to come to an element: as they did, up to the first access of the race, and then
// its second one. What follows is left open.
struct TurnedRace {
  struct Turn {
    std::string thread;  // as in logs: "0.2.1"
    std::uint64_t accesses = 0;
    friend bool operator==(const Turn&, const Turn&) = default;
  };
  std::uint64_t element = 0;  // its id
  std::vector<Turn> turns;
  friend bool operator==(const TurnedRace&, const TurnedRace&) = default;
};

// The latest first, at most `most`: what led to the end of the run is more likely to have to do with the
// failure than what led to its beginning. Accesses that creating and joining of threads orders are no race.
// REQUIRES: RunSpec::element_points was kElementEvents, and the trace has all events.
std::vector<TurnedRace> turned_round(const Trace& trace, std::size_t most);

}  // namespace heddle::merge
