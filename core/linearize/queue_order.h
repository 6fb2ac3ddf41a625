// Queues whose values are distinct, in O(n log n).
//
// Write a <in b if a's insertion ended before b's began, and a <out b likewise for removals (a value that
// stays comes out after all others). A linearization is a total order of the values that contains both, and
// there is one if and only if no pair has a <in b and b <out a: both are interval orders, and in a longer
// cycle that alternates between them, two edges of one kind always give a shortcut (an interval order has no
// 2+2). Windows must be tightened first (items.h). So values are taken off that are minimal in both orders;
// where there is none, the value whose insertion ends first and the one whose removal ends first are such a
// pair.
//
// A removal that found nothing needs a gap in which no value is inside for certain. Then each value can be
// put on one side of this gap, and both sides are as before, so each of these removals can be looked at
// alone.
//
// A pending removal may take any value. The values that stay, in the order in which their insertions end, get
// the pending removals in the order of their calls: a value that must be out has none after it that must be
// out earlier. It never hurts to give a value a pending removal, since those before it have one, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/linearize/answer.h"
#include "core/linearize/items.h"

namespace heddle::linearize {

class QueueOrder {
 public:
  // Nullopt when values are not distinct.
  static std::optional<Answer> check(const CallHistory& history) {
    auto items = collect_items(history, Name::kEnq);
    if (!items) return std::nullopt;
    Answer answer;
    answer.method = Method::kQueueOrder;
    std::optional<Violation> violation = items->violation;
    if (!violation) violation = QueueOrder(history, *items).run(answer.order);
    answer.verdict = violation ? Verdict::kNotLinearizable : Verdict::kLinearizable;
    if (violation) answer.violation = *violation;
    return answer;
  }

 private:
  QueueOrder(const CallHistory& history, Items& items)
      : history_(history), items_(items.items), all_(items) {}

  std::optional<Violation> run(std::vector<OperationIndex>& order) {
    give_pending_removals();
    const auto load = certain_load(items_, history_.events().size());
    const auto gaps = empty_gaps(history_, all_.empties, load);
    std::vector<std::pair<Position, OperationIndex>> empties;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (gaps[i] == kNever) return never_empty(history_, items_, all_.empties[i]);
      empties.emplace_back(gaps[i], all_.empties[i]);
    }
    std::sort(empties.begin(), empties.end());
    // Between two empty gaps lie the values whose insertions end between them.
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.in_to < b.in_to; });
    std::size_t first = 0;
    Position start = 0;
    for (std::size_t i = 0; i <= empties.size(); ++i) {
      const Position end = i < empties.size() ? empties[i].first : kNever;
      std::size_t last = first;
      while (last < items_.size() && items_[last].in_to <= end) ++last;
      if (auto violation = run_segment({items_.data() + first, last - first}, start, order)) return violation;
      if (i < empties.size()) order.push_back(empties[i].second);
      first = last;
      start = end;
    }
    return std::nullopt;
  }

  void give_pending_removals() {
    std::vector<Item*> staying;
    for (Item& item : items_) {
      if (item.out == kNone) staying.push_back(&item);
    }
    std::sort(staying.begin(), staying.end(),
              [](const Item* a, const Item* b) { return a->in_to < b->in_to; });
    const std::size_t count = std::min(staying.size(), all_.open.size());
    for (std::size_t i = 0; i < count; ++i) remove_by(*staying[i], all_.open[i], history_);
  }

  // One side of the windows of a segment's values: by beginning and by end.
  struct Side {
    std::vector<std::uint32_t> by_from;
    std::vector<std::uint32_t> by_to;
    std::size_t unlocked = 0;  // of by_from
    std::size_t first = 0;     // of by_to that is left
  };

  template <typename From, typename To>
  static Side make_side(ItemRange items, From from, To to) {
    Side side;
    side.by_from.resize(items.size());
    std::iota(side.by_from.begin(), side.by_from.end(), 0u);
    side.by_to = side.by_from;
    std::sort(side.by_from.begin(), side.by_from.end(),
              [&](std::uint32_t a, std::uint32_t b) { return items[a].*from < items[b].*from; });
    std::sort(side.by_to.begin(), side.by_to.end(),
              [&](std::uint32_t a, std::uint32_t b) { return items[a].*to < items[b].*to; });
    return side;
  }

  std::optional<Violation> run_segment(ItemRange items, Position start, std::vector<OperationIndex>& order) {
    Side in = make_side(items, &Item::in_from, &Item::in_to);
    Side out = make_side(items, &Item::out_from, &Item::out_to);
    std::vector<std::uint8_t> unlocked(items.size(), 0);
    std::vector<bool> taken(items.size(), false);
    std::vector<std::uint32_t> ready;
    std::vector<std::uint32_t> sorted;
    const auto unlock = [&](Side& side, auto from, auto to) {
      while (taken[side.by_to[side.first]]) ++side.first;
      const Position end = items[side.by_to[side.first]].*to;
      for (; side.unlocked < items.size(); ++side.unlocked) {
        const std::uint32_t item = side.by_from[side.unlocked];
        if (items[item].*from > end) break;
        if (++unlocked[item] == 2) ready.push_back(item);
      }
    };
    while (sorted.size() < items.size()) {
      unlock(in, &Item::in_from, &Item::in_to);
      unlock(out, &Item::out_from, &Item::out_to);
      if (ready.empty()) return overtaken(items[in.by_to[in.first]], items[out.by_to[out.first]]);
      sorted.push_back(ready.back());
      taken[ready.back()] = true;
      ready.pop_back();
    }
    write_order(items, sorted, start, order);
    return std::nullopt;
  }

  Violation overtaken(const Item& early, const Item& late) const {
    std::vector<OperationIndex> involved = {early.in, late.in, late.out};
    if (early.out != kNone) involved.push_back(early.out);
    return violation_of(Pattern::kOvertaken, history_, involved, late.out);
  }

  // Insertions and removals in the order of the values, each as early as it can be.
  static void write_order(ItemRange items, const std::vector<std::uint32_t>& sorted, Position start,
                          std::vector<OperationIndex>& order) {
    std::vector<std::pair<Position, OperationIndex>> removals;
    std::size_t next = 0;
    Position in = start;
    Position out = start;
    for (const std::uint32_t index : sorted) {
      const Item& item = items[index];
      in = std::max(in, item.in_from);
      for (; next < removals.size() && removals[next].first < in; ++next)
        order.push_back(removals[next].second);
      order.push_back(item.in);
      out = std::max({out, in, item.out_from});
      if (item.out != kNone) removals.emplace_back(out, item.out);
    }
    for (; next < removals.size(); ++next) order.push_back(removals[next].second);
  }

  const CallHistory& history_;
  std::vector<Item>& items_;
  const Items& all_;
};

}  // namespace heddle::linearize
