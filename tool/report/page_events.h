// Which events of an execution the page of a report has, and which of them stay when the others are folded.
#pragma once

#include <cstddef>
#include <set>

#include "tool/trace/trace.h"

namespace heddle::report {

// The switches and old values without which the bug goes away: minimising has tried that.
std::set<EventId> needed_events(const Trace& trace);

// critical_events(), and all that the cards of the finding and its reads refer to: what is critical is never folded.
std::set<EventId> page_critical_events(const Trace& trace, const TraceFinding& finding);

// About `most` of the events: the relevant ones (select_events.h), of the critical ones as many as there is room for, and
// the last ones. Those that the finding cites and those that are needed are always kept.
Trace page_events(const Trace& trace, const TraceFinding& finding, std::size_t most);

}  // namespace heddle::report
