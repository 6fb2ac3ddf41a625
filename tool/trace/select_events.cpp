#include "tool/trace/select_events.h"

#include <algorithm>
#include <unordered_set>

namespace heddle {
namespace {

bool is_structure(EventKind kind) {
  switch (kind) {
    case EventKind::kThreadStart:
    case EventKind::kThreadEnd:
    case EventKind::kThreadCreate:
    case EventKind::kThreadJoin:
    case EventKind::kThreadDetach:
    case EventKind::kNote:
    case EventKind::kOutcome:
    case EventKind::kFinding:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<std::size_t> relevant_events(std::size_t count,
                                         const std::function<const Event&(std::size_t)>& event_at,
                                         const std::function<std::size_t(EventId)>& position_of,
                                         const std::vector<TraceFinding>& findings, std::size_t limit) {
  std::vector<std::size_t> kept;
  if (count <= limit) {
    kept.resize(count);
    for (std::size_t i = 0; i < count; ++i) kept[i] = i;
    return kept;
  }

  std::vector<std::size_t> cited;
  std::unordered_set<Address> addresses;
  const auto cite = [&](EventId id) {
    if (const std::size_t at = position_of(id); at < count) cited.push_back(at);
  };
  for (const TraceFinding& finding : findings) {
    cite(finding.event);
    for (const TracePart& part : finding.parts) {
      cite(part.event);
      if (part.address != 0) addresses.insert(part.address);
    }
  }

  // A quarter of the room each for neighbours, the same memory, structure and the end.
  const std::size_t quarter = limit / 4;
  const auto add_range = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) kept.push_back(i);
  };
  const std::size_t reach = cited.empty() ? 0 : quarter / cited.size() / 2;
  for (const std::size_t at : cited) add_range(at - std::min(at, reach), std::min(count, at + reach + 1));
  add_range(count - std::min(count, quarter), count);
  std::size_t structure = 0, same_memory = 0;
  for (std::size_t i = count; i-- > 0 && (structure < quarter || same_memory < quarter);) {
    const Event& event = event_at(i);
    if (structure < quarter && is_structure(event.kind)) {
      ++structure;
      kept.push_back(i);
    } else if (same_memory < quarter && event.address != 0 && addresses.contains(event.address)) {
      ++same_memory;
      kept.push_back(i);
    }
  }
  const std::size_t before_stores = kept.size();
  for (std::size_t k = 0; k < before_stores; ++k) {
    const Event& event = event_at(kept[k]);
    if (event.reads_from == kNoEvent) continue;
    if (const std::size_t at = position_of(event.reads_from); at < count) kept.push_back(at);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

void keep_relevant_events(Trace& trace, std::size_t limit) {
  if (trace.events.size() <= limit) return;
  const auto position_of = [&](EventId id) {
    const TraceEvent* event = trace.find_event(id);
    return event ? static_cast<std::size_t>(event - trace.events.data()) : trace.events.size();
  };
  const auto event_at = [&](std::size_t i) -> const Event& { return trace.events[i]; };
  const auto kept = relevant_events(trace.events.size(), event_at, position_of, trace.findings, limit);
  std::vector<TraceEvent> events;
  events.reserve(kept.size());
  for (const std::size_t i : kept) events.push_back(trace.events[i]);
  trace.events = std::move(events);
}

}  // namespace heddle
