#include "tool/report/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tool/report/places.h"
#include "tool/report/rounds.h"

namespace heddle::report {
namespace {

constexpr std::size_t kNeighbours = 4;

struct Cited {
  std::set<EventId> events;
  std::set<EventId> before_access;  // the last events before the plain accesses
  std::set<EventId> critical;       // without which the bug goes away
  std::set<Address> addresses;
  std::vector<const TracePart*> accesses;  // the plain ones
};

bool is_plain_access(const TracePart& part) {
  return (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess) && is_plain(part.access);
}

Cited cited_by(const Trace& trace, const TraceFinding* only) {
  Cited cited;
  for (const TraceDeparture& departure : trace.departures) {
    if (departure.critical) cited.critical.insert(departure.event);
  }
  for (const TraceFinding& finding : trace.findings) {
    if (only != nullptr && only != &finding) continue;
    if (finding.event != kNoEvent) cited.events.insert(finding.event);
    for (const TracePart& part : finding.parts) {
      const bool is_access = part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
      if (part.event != kNoEvent && !is_access) cited.events.insert(part.event);
      if (part.address != 0) cited.addresses.insert(part.address);
      if (!is_plain_access(part)) continue;
      if (part.event != kNoEvent) cited.before_access.insert(part.event);
      cited.accesses.push_back(&part);
    }
  }
  return cited;
}

bool same_step(const TraceEvent& a, const TraceEvent& b) {
  return a.thread == b.thread && a.kind == b.kind && a.pc == b.pc && a.address == b.address &&
         a.value == b.value && a.value2 == b.value2 && a.flags == b.flags && a.other == b.other &&
         a.text == b.text;
}

int interest_of(const TraceEvent& e, const Cited& cited) {
  if (cited.events.contains(e.id) || cited.before_access.contains(e.id) || cited.critical.contains(e.id))
    return 100;
  switch (e.kind) {
    case EventKind::kFinding:
    case EventKind::kNote:
    case EventKind::kOutcome:
    case EventKind::kValueChoice:
      return 60;
    default:
      break;
  }
  if (cited.addresses.contains(e.address)) return 40;
  if (e.flags & (event_flags::kStale | event_flags::kSpurious | event_flags::kTimedOut)) return 30;
  switch (e.kind) {
    case EventKind::kThreadStart:
    case EventKind::kThreadEnd:
    case EventKind::kThreadCreate:
    case EventKind::kThreadJoin:
      return 20;
    case EventKind::kAllocate:
    case EventKind::kFree:
    case EventKind::kYield:
      return 1;
    default:
      return e.flags & event_flags::kBlocked ? 15 : 5;
  }
}

std::string fold_text(const std::vector<TraceEvent>& events, std::size_t from, std::size_t to) {
  std::map<ThreadId, std::size_t> by_thread;
  for (std::size_t i = from; i < to; ++i) ++by_thread[events[i].thread];
  std::string text = fmt::format("… {} events", grouped(to - from));
  std::string who;
  std::size_t named = 0;
  for (const auto& [thread, count] : by_thread) {
    if (++named > 6) {
      who += ", …";
      break;
    }
    who += fmt::format("{}{} {}", who.empty() ? ": " : ", ", thread_tag(thread), grouped(count));
  }
  return by_thread.size() == 1 ? fmt::format("{} of {}", text, thread_tag(by_thread.begin()->first))
                               : text + who;
}

struct Loop {
  std::size_t end = 0;  // of the hidden rounds
  std::string text;
};

// Marks the middle of loops as not shown and answers, by first hidden event, what to say there.
std::map<std::size_t, Loop> hide_loops(const std::vector<TraceEvent>& events, const Cited& cited,
                                       std::vector<bool>& shown) {
  std::map<std::size_t, Loop> folds;
  for (std::size_t i = 0; i < events.size();) {
    const Rounds rounds = rounds_at(events, i, same_step);
    if (rounds.count == 0) {
      ++i;
      continue;
    }
    const std::size_t from = rounds.hidden_from(i), to = rounds.hidden_to(i);
    bool any_cited = false;
    for (std::size_t k = from; k < to; ++k) any_cited |= interest_of(events[k], cited) == 100;
    if (!any_cited) {
      std::fill(shown.begin() + static_cast<std::ptrdiff_t>(from),
                shown.begin() + static_cast<std::ptrdiff_t>(to), false);
      folds[from] = {to, rounds.instead()};
    }
    i += rounds.count * rounds.period;
  }
  return folds;
}

// Keeps about `room` events: the most interesting, and of equally interesting ones the latest.
void hide_dull(const std::vector<TraceEvent>& events, const Cited& cited, std::size_t room,
               std::vector<bool>& shown) {
  std::vector<int> interest(events.size(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < events.size(); ++i) {
    interest[i] = std::max(interest[i], shown[i] ? interest_of(events[i], cited) : 0);
    if (interest[i] != 100) continue;
    const std::size_t first = i - std::min(i, kNeighbours),
                      last = std::min(events.size() - 1, i + kNeighbours);
    for (std::size_t k = first; k <= last; ++k) {
      if (interest[k] < 50) interest[k] = 50;
    }
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (shown[i]) order.push_back(i);
  }
  if (order.size() <= room) return;
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(room), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return interest[a] != interest[b] ? interest[a] > interest[b] : a > b;
                   });
  for (std::size_t k = room; k < order.size(); ++k) shown[order[k]] = false;
}

// Each after the last event before it, which is always shown.
void insert_accesses(const std::vector<const TracePart*>& accesses, PartRole role, std::vector<Row>& rows) {
  for (const TracePart* part : accesses) {
    if (part->role != role) continue;
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows.size() && part->event != kNoEvent; ++i) {
      if (rows[i].event != nullptr && rows[i].event->id <= part->event) at = i + 1;
    }
    while (at < rows.size() && rows[at].access != nullptr) ++at;
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(at), {nullptr, {}, kNoThread, true, part});
  }
}

}  // namespace

std::vector<Row> choose_rows(const Trace& trace, const RowOptions& options) {
  const auto& events = trace.events;
  const Cited cited = cited_by(trace, options.finding);
  std::vector<bool> shown(events.size(), true);
  const auto loops = hide_loops(events, cited, shown);
  hide_dull(events, cited, options.max_rows, shown);

  std::vector<Row> rows;
  std::uint64_t next = 0;  // id that would follow without a gap
  for (std::size_t i = 0; i < events.size();) {
    const std::uint64_t id = index_of(events[i].id);
    if (id > next)
      rows.push_back({nullptr, fmt::format("… {} events that were not kept", grouped(id - next)), kNoThread,
                      false, nullptr});
    if (shown[i]) {
      rows.push_back({&events[i], {}, kNoThread, cited.events.contains(events[i].id), nullptr});
      next = id + 1;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < events.size() && !shown[end] &&
           (end == i || index_of(events[end].id) == index_of(events[end - 1].id) + 1)) {
      ++end;
    }
    const auto loop = loops.find(i);
    const bool only_loop = loop != loops.end() && loop->second.end == end;
    if (end - i == 1) {
      rows.push_back({&events[i], {}, kNoThread, false, nullptr});  // a fold would take as much room
    } else {
      rows.push_back(
          {nullptr, only_loop ? loop->second.text : fold_text(events, i, end), kNoThread, false, nullptr});
    }
    next = index_of(events[end - 1].id) + 1;
    i = end;
  }
  if (trace.total_events > next) {
    rows.push_back({nullptr,
                    fmt::format("… {} events that were not kept", grouped(trace.total_events - next)),
                    kNoThread, false, nullptr});
  }
  insert_accesses(cited.accesses, PartRole::kPreviousAccess, rows);
  insert_accesses(cited.accesses, PartRole::kAccess, rows);
  return rows;
}

}  // namespace heddle::report
