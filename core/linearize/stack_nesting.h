// Stacks whose values are distinct, in O(n log n).
//
// 1. A value whose push and pop can be at the same time is pushed and popped at once, wherever the others
// are.
// 2. In a gap in which no value is inside for certain the stack can be empty: what lies on it in some
// linearization can
//    be popped before the gap or pushed after it instead. So the times at which something is inside for
//    certain fall into components, each a problem of its own, and a pop that found nothing needs such a gap.
// 3. In a component the stack is never empty, so one value is at the bottom all the time: its push can begin
// before the
//    first value is inside for certain, and its pop can end after the last one was. Any such value will do:
//    put below everything it is in nobody's way. Without it the component falls into smaller ones.
//
// A component shrinks, so a value that can be pushed first stays so, and one that can be popped last: each is
// found once.
//
// A pending pop may take any value that stays. First none does; if that fails, only the components that
// failed need them, and these few values are left to search, which says what each pending pop takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/linearize/answer.h"
#include "core/linearize/items.h"
#include "core/linearize/range_trees.h"
#include "core/linearize/search.h"
#include "core/linearize/specs.h"

namespace heddle::linearize {

// The values of `items` put into each other, given what removes each of them.
class StackNesting {
 public:
  StackNesting(const CallHistory& history, const Items& items)
      : history_(history),
        empties_(items.empties),
        load_(certain_load(items.items, history.events().size())) {
    for (const Item& item : items.items) (item.surely_inside() ? items_ : at_once_).push_back(item);
    std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.in_to < b.in_to; });
  }

  // Whether there is a linearization.
  bool run() {
    place_empties();
    for (const Item& item : at_once_) {
      const Position gap = std::max(item.in_from, item.out_from);
      points_.push_back({gap, kBetween, item.in});
      points_.push_back({gap, kBetween, item.out});
    }
    nest();
    return failed_.empty() && full_.empty();
  }

  std::vector<OperationIndex> order() const {
    std::vector<std::size_t> places(points_.size());  // equal ones stay in the order in which they were made
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return std::tuple(points_[a].gap, points_[a].rank, a) < std::tuple(points_[b].gap, points_[b].rank, b);
    });
    std::vector<OperationIndex> result;
    for (const std::size_t place : places) result.push_back(points_[place].operation);
    return result;
  }

  // REQUIRES: run() answered false. The values and the pops in vain that cannot be placed without pending
  // pops.
  std::vector<OperationIndex> unplaced() const {
    std::vector<OperationIndex> result = full_;
    std::vector<bool> chosen(items_.size(), false);
    for (const std::size_t item : failed_) chosen[item] = true;
    // A pop in vain concerns all of the components that it overlaps.
    for (const OperationIndex empty : full_) {
      std::size_t first = history_[empty].called;
      std::size_t last = history_[empty].returned;
      while (first > 0 && load_[first - 1] > 0) --first;
      while (last < load_.size() && load_[last] > 0) ++last;
      for (std::size_t i = 0; i < items_.size(); ++i) {
        chosen[i] = chosen[i] || (items_[i].in_to >= first && items_[i].in_to < last);
      }
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!chosen[i]) continue;
      result.push_back(items_[i].in);
      if (items_[i].out != kNone) result.push_back(items_[i].out);
    }
    return result;
  }

  Violation violation() const {
    if (!full_.empty()) return never_empty(history_, items_, full_[0]);
    constexpr std::size_t kMostShown = 32;
    std::vector<OperationIndex> involved;
    OperationIndex last = items_[failed_[0]].in;
    const auto end = [&](OperationIndex operation) { return history_[operation].returned; };
    for (const std::size_t index : failed_) {
      const Item& item = items_[index];
      if (involved.size() < kMostShown) involved.push_back(item.in);
      for (const OperationIndex operation : {item.in, item.out}) {
        if (operation == kNone || end(operation) == kNever) continue;
        if (end(last) == kNever || end(operation) > end(last)) last = operation;
      }
    }
    return violation_of(Pattern::kNoBottom, history_, involved, last);
  }

 private:
  // In one gap first come pops, then what leaves the stack as it is, then pushes.
  enum Rank : std::uint8_t { kPops, kBetween, kPushes };
  struct Point {
    Position gap;
    Rank rank;
    OperationIndex operation;
  };
  struct Task {
    std::size_t first;  // a component: the values of this range that are left
    std::size_t last;
    std::vector<std::size_t> close;  // or, if not empty, values to be popped in the reverse order
    Position gap;
  };

  void place_empties() {
    const auto gaps = empty_gaps(history_, empties_, load_);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      if (gaps[i] == kNever) {
        full_.push_back(empties_[i]);
      } else {
        points_.push_back({gaps[i], kBetween, empties_[i]});
      }
    }
  }

  template <typename Function>
  LargestTree tree_of(const Function& value) const {
    std::vector<std::int64_t> values;
    values.reserve(items_.size());
    for (const Item& item : items_) values.push_back(value(item));
    return LargestTree(std::move(values));
  }

  std::size_t next_left(std::size_t index) {
    std::size_t root = index;
    while (skip_[root] != root) root = skip_[root];
    while (skip_[index] != root) index = std::exchange(skip_[index], root);
    return root;
  }

  void nest() {
    skip_.resize(items_.size() + 1);
    std::iota(skip_.begin(), skip_.end(), std::size_t{0});
    LargestTree begins = tree_of([](const Item& item) { return -std::int64_t{item.in_from}; });
    LargestTree ends = tree_of([](const Item& item) { return std::int64_t{item.out_to}; });
    LargestTree inside = tree_of([](const Item& item) { return std::int64_t{item.out_from}; });
    ZeroTree load(load_);
    std::vector<std::uint8_t> able(items_.size(), 0);
    std::vector<Task> tasks;
    add_components(0, items_.size(), load, tasks);
    while (!tasks.empty()) {
      const Task task = std::move(tasks.back());
      tasks.pop_back();
      for (std::size_t i = task.close.size(); i-- > 0;) {
        points_.push_back({task.gap, kPops, items_[task.close[i]].out});
      }
      if (!task.close.empty()) continue;
      const Position left = items_[next_left(task.first)].in_to;
      const std::int64_t right = inside.at(inside.largest(task.first, task.last));
      std::vector<std::size_t> bottoms;
      const auto gather = [&](LargestTree& tree, std::int64_t least) {
        for (;;) {
          const std::size_t item = tree.largest(task.first, task.last);
          if (tree.at(item) < least) return;
          tree.lower(item);
          if (++able[item] == 2) bottoms.push_back(item);
        }
      };
      gather(begins, -std::int64_t{left});
      gather(ends, right);
      if (bottoms.empty()) {
        fail(task);
        continue;
      }
      std::vector<std::size_t> popped;
      for (const std::size_t item : bottoms) {
        points_.push_back({left - 1, kPushes, items_[item].in});
        load.lower(items_[item].in_to, std::min<std::size_t>(items_[item].out_from, load_.size()));
        inside.lower(item);
        skip_[item] = item + 1;
        if (items_[item].out != kNone) popped.push_back(item);
      }
      if (!popped.empty()) tasks.push_back({0, 0, std::move(popped), static_cast<Position>(right)});
      add_components(task.first, task.last, load, tasks);
    }
  }

  // The components of the values of a range that are left, so that the earliest is on top.
  void add_components(std::size_t first, std::size_t last, const ZeroTree& load, std::vector<Task>& tasks) {
    const std::size_t bottom = tasks.size();
    for (first = next_left(first); first < last; first = next_left(first)) {
      const std::size_t end = load.next_zero(items_[first].in_to);
      const auto after = std::partition_point(items_.begin() + static_cast<std::ptrdiff_t>(first),
                                              items_.begin() + static_cast<std::ptrdiff_t>(last),
                                              [&](const Item& item) { return item.in_to < end; });
      const auto next = static_cast<std::size_t>(after - items_.begin());
      tasks.push_back({first, next, {}, 0});
      first = next;
    }
    std::reverse(tasks.begin() + static_cast<std::ptrdiff_t>(bottom), tasks.end());
  }

  void fail(const Task& task) {
    for (std::size_t i = next_left(task.first); i < task.last; i = next_left(i + 1)) failed_.push_back(i);
  }

  const CallHistory& history_;
  const std::vector<OperationIndex>& empties_;
  std::vector<std::uint32_t> load_;
  std::vector<Item> items_;  // inside for certain at some time, by in_to
  std::vector<Item> at_once_;
  std::vector<std::size_t> skip_;  // union-find: the next item that is left
  std::vector<Point> points_;
  std::vector<std::size_t> failed_;
  std::vector<OperationIndex> full_;  // pops in vain with no empty gap
};

// What the pending pops take, by search over `operations` and them; the search's answer is in `verdict`.
inline std::vector<std::pair<OperationIndex, Value>> pops_by_search(const CallHistory& history,
                                                                    std::vector<OperationIndex> operations,
                                                                    const Options& options,
                                                                    Verdict& verdict) {
  std::sort(operations.begin(), operations.end());
  CallHistory part;
  std::vector<OperationIndex> numbers(history.operations().size(), kNone);
  for (const Event& event : history.events()) {
    if (!std::binary_search(operations.begin(), operations.end(), event.operation)) continue;
    const auto& operation = history[event.operation];
    if (event.returns) {
      part.give_back(numbers[event.operation], *operation.output);
    } else {
      numbers[event.operation] = part.call(operation.thread, operation.input);
    }
  }
  const Answer answer = Search<StackSpec>({}, part, options).run();
  verdict = answer.verdict;
  std::vector<std::pair<OperationIndex, Value>> pops;
  StackSpec stack;
  for (const OperationIndex index : answer.order) {
    const Reply reply = stack.step(part[index].input);
    if (!part[index].output && reply.kind == Reply::Kind::kValue)
      pops.emplace_back(operations[index], reply.value);
  }
  return pops;
}

// Nullopt when values are not distinct.
inline std::optional<Answer> check_stack(const CallHistory& history, const Options& options) {
  auto items = collect_items(history, Name::kPush);
  if (!items) return std::nullopt;
  Answer answer;
  answer.method = Method::kStackNesting;
  answer.verdict = Verdict::kNotLinearizable;
  if (items->violation) {
    answer.violation = *items->violation;
    return answer;
  }
  StackNesting plain(history, *items);
  if (plain.run()) {
    answer.verdict = Verdict::kLinearizable;
    answer.order = plain.order();
    return answer;
  }
  answer.violation = plain.violation();
  if (items->open.empty()) return answer;
  std::vector<OperationIndex> unplaced = plain.unplaced();
  unplaced.insert(unplaced.end(), items->open.begin(), items->open.end());
  const auto pops = pops_by_search(history, std::move(unplaced), options, answer.verdict);
  if (answer.verdict != Verdict::kLinearizable) return answer;
  for (const auto& [pop, value] : pops) {
    for (Item& item : items->items) {
      if (history[item.in].input.first == value) remove_by(item, pop, history);
    }
  }
  StackNesting with_pops(history, *items);
  if (with_pops.run()) {
    answer.order = with_pops.order();
  } else {
    answer.verdict = Verdict::kUnknown;  // cannot be, by 1 to 3; no wrong answer if it is
  }
  return answer;
}

}  // namespace heddle::linearize
