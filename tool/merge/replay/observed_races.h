// Feedback from an execution that did not show the bug (PRES: Park, Zhou et al., SOSP 2009, §4): accesses of
// two threads to the same memory that came in one order, and could have come in the other as far as anybody
// knows. The next execution is made to turn one of them round.
#pragma once

#include <cstddef>
#include <vector>

#include "tool/merge/ranking/turned_race.h"
#include "tool/trace/trace.h"

namespace heddle::merge {

// Races of an execution to be turned, at most `most`: the last one of each thread first, the latest of those
// before others, then each thread's last but one, and so on. What led a thread to where the run left it is more
// likely to have to do with the failure than what led to its beginning. Accesses that creating and joining
// threads orders are no race. `broken_off`: locks that were put off come before. REQUIRES:
// RunSpec::element_points had element_points::kEvents, and the trace has all events.
std::vector<TurnedRace> turned_round(const Trace& trace, std::size_t most, bool broken_off = false);

}  // namespace heddle::merge
