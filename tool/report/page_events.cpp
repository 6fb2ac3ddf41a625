#include "tool/report/page_events.h"

#include <vector>

#include "tool/report/critical.h"
#include "tool/report/missed_store.h"
#include "tool/report/names.h"
#include "tool/report/page_cards.h"
#include "tool/trace/select_events.h"

namespace heddle::report {
namespace {

// What the page always shows.
std::set<EventId> always_shown(const Trace& trace, const TraceFinding& finding, const Headline& head) {
  std::set<EventId> events = needed_events(trace);
  events.merge(cited_events(head));
  if (finding.event != kNoEvent) events.insert(finding.event);
  Names names(trace);
  for (const PageCard& card : page_cards(trace, finding, names)) {
    if (card.event != nullptr) events.insert(card.event->id);
  }
  return events;
}

// For each read its store, and the store that it missed.
void add_sources(const Trace& trace, std::set<EventId>& events) {
  const auto missed = missed_stores(trace);
  std::vector<EventId> sources;
  for (const EventId id : events) {
    const TraceEvent* event = trace.find_event(id);
    if (event != nullptr && event->reads_from != kNoEvent) sources.push_back(event->reads_from);
    if (const auto store = missed.find(index_of(id)); store != missed.end())
      sources.push_back(store->second.store->id);
  }
  events.insert(sources.begin(), sources.end());
}

}  // namespace

std::set<EventId> needed_events(const Trace& trace) {
  std::set<EventId> events;
  for (const TraceDeparture& departure : trace.departures) {
    if (departure.critical && departure.event != kNoEvent) events.insert(departure.event);
  }
  return events;
}

std::set<EventId> cited_events(const Headline& head) {
  std::set<EventId> events;
  for (const CitedPlace& place : head.places) {
    for (const CitedDeed& deed : place.deeds) {
      // Of a part, and of a plain access, it is only the last event before it.
      if (deed.event != kNoEvent && deed.part == nullptr && deed.access == nullptr) events.insert(deed.event);
    }
  }
  return events;
}

std::set<const TraceAccess*> cited_accesses(const Headline& head) {
  std::set<const TraceAccess*> accesses;
  for (const CitedPlace& place : head.places) {
    for (const CitedDeed& deed : place.deeds) {
      if (deed.access != nullptr) accesses.insert(deed.access);
    }
  }
  return accesses;
}

std::set<EventId> page_critical_events(const Trace& trace, const TraceFinding& finding,
                                       const Headline& head) {
  std::set<EventId> events = critical_events(trace, finding);
  events.merge(always_shown(trace, finding, head));
  add_sources(trace, events);
  return events;
}

Trace page_events(const Trace& trace, const TraceFinding& finding, const Headline& head, std::size_t most) {
  Trace shorter = trace;
  keep_relevant_events(shorter, most);
  std::set<EventId> kept = always_shown(trace, finding, head);
  add_sources(trace, kept);
  const std::set<EventId> critical = page_critical_events(trace, finding, head);
  // The last ones are the nearest to the finding.
  for (auto id = critical.rbegin(); id != critical.rend() && kept.size() < most / 4; ++id) kept.insert(*id);
  for (const TraceEvent& event : shorter.events) kept.insert(event.id);
  for (auto event = trace.events.rbegin(); event != trace.events.rend() && kept.size() < most; ++event)
    kept.insert(event->id);
  shorter.events.clear();
  for (const TraceEvent& event : trace.events) {
    if (kept.contains(event.id)) shorter.events.push_back(event);
  }
  return shorter;
}

}  // namespace heddle::report
