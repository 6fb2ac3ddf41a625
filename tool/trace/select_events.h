// Which events of a long execution are worth keeping: those that the findings cite and their neighbours,
// those on the same memory, the making and ending of threads, the last ones, and the stores that kept loads
// read from.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle {

// Positions in increasing order, about `limit` of them; all where there are no more than that. `event_at(i)`
// for i < count; event ids in `findings` and reads_from are looked up by `position_of` (count: not there).
std::vector<std::size_t> relevant_events(std::size_t count,
                                         const std::function<const Event&(std::size_t)>& event_at,
                                         const std::function<std::size_t(EventId)>& position_of,
                                         const std::vector<TraceFinding>& findings, std::size_t limit);

// Drops the other events of the trace; total_events keeps their number.
void keep_relevant_events(Trace& trace, std::size_t limit);

}  // namespace heddle
