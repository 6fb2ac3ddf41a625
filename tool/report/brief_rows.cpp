#include "tool/report/brief_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "core/trace/event_kinds.h"
#include "tool/report/interference.h"
#include "tool/report/names.h"
#include "tool/report/places.h"
#include "tool/report/rounds.h"

namespace heddle::report {
namespace {

// How much an item tells. What tells nothing is never shown.
constexpr int kDull = 0, kContext = 5, kSynchronisation = 20, kOnVariable = 50, kCitedItem = 100;

struct Item {
  Row row;
  std::uint64_t time = 0;
  int interest = kDull;
};

class Selection {
 public:
  Selection(const Trace& trace, const TraceFinding& finding, const Headline& head)
      : trace_(trace), finding_(finding), names_(trace) {
    for (const Address address : head.variables) variables_.insert(names_.variable(address));
    for (const CitedPlace& place : head.places) {
      if (place.event != kNoEvent) cited_.insert(place.event);
      threads_.insert(place.thread);
    }
    for (const TracePart& part : finding.parts) {
      if (part.thread != kNoThread && part.role != PartRole::kThreadCreated) threads_.insert(part.thread);
      const bool is_access = part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
      const bool is_background = part.role == PartRole::kThreadCreated || part.role == PartRole::kAllocated ||
                                 part.role == PartRole::kRunningThread;
      if (part.event != kNoEvent && !is_access && !is_background) cited_.insert(part.event);
      if (is_access && is_plain(part.access)) races_.push_back(&part);
    }
    if (finding.event != kNoEvent) cited_.insert(finding.event);
    for (const TraceDeparture& d : trace.departures) {
      if (d.critical) critical_.insert(d.event);
      if (d.critical && d.kind == ChoiceKind::kThread) threads_.insert({d.thread, d.to});
    }
  }

  std::vector<Row> rows(std::size_t most) {
    gather();
    fold_loops();
    for (std::size_t room = most; room > 0; room = room > 4 ? room - room / 8 - 1 : room - 1) {
      std::vector<Row> rows = chosen(room);
      if (rows.size() <= most || room == 1) return rows;
    }
    return {};
  }

 private:
  // Is it one of the variables of the finding, or a part of one?
  bool is_cited_memory(Address address) {
    if (address == 0) return false;
    const auto [at, is_new] = known_.try_emplace(address, false);
    if (is_new) at->second = variables_.contains(names_.variable(address));
    return at->second;
  }

  int interest_of(const TraceEvent& e) {
    if (e.kind == EventKind::kFinding)
      return finding_.event == kNoEvent || finding_.event == e.id ? kCitedItem : kDull;
    if (cited_.contains(e.id) || critical_.contains(e.id)) return kCitedItem;
    if (e.kind == EventKind::kNote || e.kind == EventKind::kOutcome || e.kind == EventKind::kValueChoice)
      return kCitedItem - 1;
    if (is_cited_memory(e.address)) return kOnVariable;
    if (e.flags & (event_flags::kStale | event_flags::kSpurious | event_flags::kTimedOut))
      return kOnVariable - 10;
    if (e.kind == EventKind::kAllocate || e.kind == EventKind::kFree || e.kind == EventKind::kOnce ||
        e.kind == EventKind::kYield || e.kind == EventKind::kThreadStart)
      return kDull;
    if (!threads_.contains(e.thread)) return kDull;
    if (synchronises(e.kind)) return kSynchronisation;
    return kContext;
  }

  void gather() {
    auto plain = trace_.accesses.begin();
    const auto plain_up_to = [&](std::uint64_t time) {
      for (; plain != trace_.accesses.end() && time_of(plain->after) < time; ++plain) {
        if (!is_cited_memory(plain->address)) continue;
        Item item;
        item.row.plain = &*plain;
        item.row.cited = is_raced(*plain);
        item.time = time_of(plain->after);
        item.interest = item.row.cited ? kCitedItem : kOnVariable;
        items_.push_back(item);
      }
    };
    for (const TraceEvent& event : trace_.events) {
      plain_up_to(time_of(event.id));
      Item item;
      item.row.event = &event;
      item.row.cited = cited_.contains(event.id);
      item.time = time_of(event.id);
      item.interest = interest_of(event);
      items_.push_back(item);
    }
    plain_up_to(~std::uint64_t{0});
    // Races whose accesses were not seen again are shown by what the finding says of them.
    for (const TracePart* part : races_) {
      if (seen_.contains(part)) continue;
      const auto at =
          std::ranges::find_if(items_, [&](const Item& i) { return i.time > time_of(part->event); });
      Item item;
      item.row.access = part;
      item.row.cited = true;
      item.time = time_of(part->event);
      item.interest = kCitedItem;
      items_.insert(at, item);
    }
  }

  // The accesses of a race come last of their place: earlier ones of a loop are not it.
  bool is_raced(const TraceAccess& access) {
    for (const TracePart* part : races_) {
      if (part->thread != access.thread || part->pc != access.pc || part->event != access.after ||
          part->address / 8 != access.address / 8 || is_write(part->access) != access.writes)
        continue;
      if (seen_.insert(part).second) return true;
    }
    return false;
  }

  static bool is_same(const Item& a, const Item& b) {
    if (a.row.event != nullptr && b.row.event != nullptr) {
      const TraceEvent &x = *a.row.event, &y = *b.row.event;
      return x.thread == y.thread && x.kind == y.kind && x.pc == y.pc && x.address == y.address &&
             x.value == y.value && x.value2 == y.value2 && x.flags == y.flags && x.other == y.other;
    }
    if (a.row.plain != nullptr && b.row.plain != nullptr) {
      const TraceAccess &x = *a.row.plain, &y = *b.row.plain;
      return x.thread == y.thread && x.pc == y.pc && x.address == y.address && x.value == y.value;
    }
    return false;
  }

  // The rounds of a loop but the first and the last tell nothing new.
  void fold_loops() {
    for (std::size_t i = 0; i < items_.size();) {
      const Rounds rounds = rounds_at(items_, i, is_same);
      if (rounds.count == 0) {
        ++i;
        continue;
      }
      for (std::size_t k = rounds.hidden_from(i); k < rounds.hidden_to(i); ++k) {
        if (items_[k].interest < kCitedItem) items_[k].interest = kDull;
      }
      i += rounds.count * rounds.period;
    }
  }

  // The most telling ones, of equally telling ones the latest; then stretches of others are folded.
  std::vector<Row> chosen(std::size_t room) const {
    std::vector<std::size_t> order;
    std::size_t first = items_.size();  // that matters
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].interest >= kOnVariable - 10) first = std::min(first, i);
    }
    for (std::size_t i = first; i < items_.size(); ++i) {
      if (finding_.event != kNoEvent && items_[i].time > time_of(finding_.event)) break;
      if (items_[i].interest > kDull) order.push_back(i);
    }
    while (!order.empty() && items_[order.back()].interest < kOnVariable - 10) order.pop_back();
    if (order.size() > room) {
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(room), order.end(),
                       [&](std::size_t a, std::size_t b) {
                         const int x = items_[a].interest, y = items_[b].interest;
                         return x != y ? x > y : a > b;
                       });
      order.resize(room);
      std::ranges::sort(order);
    }
    std::vector<Row> rows;
    std::size_t next = 0;
    for (const std::size_t i : order) {
      add_fold(next, i, rows);
      rows.push_back(items_[i].row);
      next = i + 1;
    }
    return rows;
  }

  void add_fold(std::size_t from, std::size_t to, std::vector<Row>& rows) const {
    std::map<ThreadId, std::size_t> by_thread;
    std::size_t events = 0;
    Row row;
    for (std::size_t i = from; i < to; ++i) {
      // What tells nothing is not missed.
      if (items_[i].row.event == nullptr || items_[i].interest == kDull) continue;
      row.fold_end = items_[i].row.event->thread;
      ++by_thread[row.fold_end];
      ++events;
    }
    if (events == 0) return;
    row.fold = fmt::format("… {} event{}", grouped(events), events == 1 ? "" : "s");
    if (by_thread.size() == 1) row.fold += " of " + thread_tag(row.fold_end);
    if (from == 0) row.fold += " before";
    rows.push_back(std::move(row));
  }

  const Trace& trace_;
  const TraceFinding& finding_;
  Names names_;
  std::set<std::string> variables_;
  std::unordered_map<Address, bool> known_;
  std::set<EventId> cited_, critical_;
  std::set<ThreadId> threads_;
  std::vector<const TracePart*> races_;
  std::set<const TracePart*> seen_;
  std::vector<Item> items_;
};

}  // namespace

std::vector<Row> brief_rows(const Trace& trace, const TraceFinding& finding, const Headline& head,
                            std::size_t max_rows) {
  return Selection(trace, finding, head).rows(std::max<std::size_t>(max_rows, 1));
}

}  // namespace heddle::report
