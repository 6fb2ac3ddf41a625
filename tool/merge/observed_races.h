// Feedback from an execution that did not show the bug (PRES: Park, Zhou et al., SOSP 2009, §4): accesses of
// two threads to the same memory that came in one order, and could have come in the other as far as anybody
// knows. The next execution is made to turn one of them round.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "tool/trace/trace.h"

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

// The last one of each thread first, the latest of those before others, and so on; at most `most`: what led a
// thread to where the run left it is more likely to have to do with the failure than what led to its
// beginning, and one that was held back did so while others went on. Accesses that creating and joining of
// threads orders are no race. REQUIRES: RunSpec::element_points was kElementEvents, and the trace has all
// events.
std::vector<TurnedRace> turned_round(const Trace& trace, std::size_t most, bool broken_off = false);

}  // namespace heddle::merge
