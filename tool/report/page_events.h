// Which events of an execution the page of a report has, and which of them stay when the others are folded.
#pragma once

#include <cstddef>
#include <set>

#include "tool/report/headline.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// The switches and old values without which the bug goes away: minimising has tried that.
std::set<EventId> needed_events(const Trace& trace);

// What the places of the headline are, beside parts of the finding: operations, and plain accesses.
std::set<EventId> cited_events(const Headline& head);
std::set<const TraceAccess*> cited_accesses(const Headline& head);

// critical_events(), and all that the cards of the finding and its reads refer to: what is critical is never folded.
std::set<EventId> page_critical_events(const Trace& trace, const TraceFinding& finding, const Headline& head);

// About `most` of the events: the relevant ones (select_events.h), of the critical ones as many as there is room for, and
// the last ones. Those that the finding cites and those that are needed are always kept.
Trace page_events(const Trace& trace, const TraceFinding& finding, const Headline& head, std::size_t most);

}  // namespace heddle::report
