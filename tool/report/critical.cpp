#include "tool/report/critical.h"

#include <map>
#include <tuple>

#include "tool/report/missed_store.h"

namespace heddle::report {
namespace {

bool is_access(PartRole role) { return role == PartRole::kAccess || role == PartRole::kPreviousAccess; }

// Of stale reads that a loop repeats, the last: it is the one that counts.
void add_stale_reads(const Trace& trace, std::set<EventId>& critical) {
  std::map<std::tuple<ThreadId, std::uint64_t, Address>, const TraceEvent*> last;
  for (const TraceEvent& event : trace.events) {
    if (event.flags & event_flags::kStale) last[{event.thread, event.pc, event.address}] = &event;
  }
  for (const auto& [where, read] : last) {
    critical.insert(read->id);
    if (read->reads_from != kNoEvent) critical.insert(read->reads_from);
    if (const auto missed = missed_store(trace, *read)) critical.insert(missed->store->id);
  }
}

// The last time that each thread of a race saw something of the other's before its access.
void add_messages(const Trace& trace, const TraceFinding& finding, std::set<EventId>& critical) {
  for (const TracePart& part : finding.parts) {
    if (!is_access(part.role) || part.event == kNoEvent) continue;
    for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
      if (e->id > part.event || e->thread != part.thread || e->reads_from == kNoEvent) continue;
      const TraceEvent* store = trace.find_event(e->reads_from);
      if (store == nullptr || store->thread == part.thread) continue;
      critical.insert(e->id);
      critical.insert(store->id);
      break;
    }
  }
}

}  // namespace

std::set<EventId> critical_events(const Trace& trace, const TraceFinding& finding) {
  std::set<EventId> critical;
  if (finding.event != kNoEvent) critical.insert(finding.event);
  std::set<ThreadId> threads;
  for (const TracePart& part : finding.parts) {
    if (part.event != kNoEvent && !is_access(part.role)) critical.insert(part.event);
    if (part.thread != kNoThread) threads.insert(part.thread);
  }
  // What minimising has tried: without it the bug goes away.
  for (const TraceDeparture& departure : trace.departures) {
    if (departure.critical && departure.event != kNoEvent) critical.insert(departure.event);
  }
  add_stale_reads(trace, critical);
  add_messages(trace, finding, critical);
  for (const TraceEvent& event : trace.events) {
    const bool creates = event.kind == EventKind::kThreadCreate && threads.contains(event.other);
    const bool special = (event.flags & (event_flags::kSpurious | event_flags::kTimedOut)) != 0;
    const bool said = event.kind == EventKind::kNote || event.kind == EventKind::kValueChoice;
    if (creates || special || said) critical.insert(event.id);
  }
  // Held locks are why a deadlock is one, and what a race should have had.
  for (const TracePart& part : finding.parts) {
    if (part.role != PartRole::kHolds && part.role != PartRole::kBlockedThread) continue;
    for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
      if (e->thread != part.thread || e->address != part.address || part.address == 0) continue;
      critical.insert(e->id);
      break;
    }
  }
  return critical;
}

}  // namespace heddle::report
