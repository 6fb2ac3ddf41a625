// Which events of a trace one has to look at to understand a finding: what is left when a page or a table is
// collapsed.
#pragma once

#include <set>

#include "tool/trace/trace.h"

namespace heddle::report {

// What the finding cites, the stale reads and the stores that they read or passed over, and how the threads
// of the finding hand over to each other.
std::set<EventId> critical_events(const Trace& trace, const TraceFinding& finding);

}  // namespace heddle::report
