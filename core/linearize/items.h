// Values that go into a container and come out of it, each inserted once: the common ground of queues and
// stacks.
//
// Time is counted in gaps: gap k lies right after event k. An operation takes effect in a gap from that after
// its call to that before its return.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/linearize/answer.h"
#include "core/linearize/call.h"

namespace heddle::linearize {

inline constexpr OperationIndex kNone = 0xffffffffu;
inline constexpr Position kStays = kNever;        // when a value that nobody removes comes out
inline constexpr Position kAnyTime = kNever - 1;  // before this a pending removal takes effect: before kStays

struct Item {
  OperationIndex in = kNone;
  OperationIndex out = kNone;
  // The insertion takes effect after event in_from and before event in_to; the removal likewise. Tightened:
  // an insertion comes before its removal. So from in_to to out_from the value is in the container for
  // certain.
  Position in_from = 0;
  Position in_to = kNever;
  Position out_from = kStays;
  Position out_to = kStays;

  bool surely_inside() const { return in_to < out_from; }
};

// Some of them that lie side by side.
struct ItemRange {
  const Item* first;
  std::size_t count;

  std::size_t size() const { return count; }
  const Item& operator[](std::size_t i) const { return first[i]; }
};

struct Items {
  std::vector<Item> items;              // pending insertions of values that nobody saw are left out
  std::vector<OperationIndex> empties;  // removals that found nothing
  std::vector<OperationIndex> open;     // pending removals, by their calls
  std::optional<Violation> violation;
};

inline Violation violation_of(Pattern pattern, const CallHistory& history,
                              const std::vector<OperationIndex>& operations, OperationIndex last) {
  Violation violation;
  violation.pattern = pattern;
  violation.operations = operations;
  violation.operation = last;
  const Position returned = history[last].returned;
  violation.prefix = returned == kNever ? history.events().size() : returned + std::size_t{1};
  return violation;
}

inline void remove_by(Item& item, OperationIndex out, const CallHistory& history) {
  item.out = out;
  item.out_from = std::max(history[out].called, item.in_from);
  item.out_to = std::min(history[out].returned, kAnyTime);
  item.in_to = std::min(item.in_to, item.out_to);
}

// Nullopt when a value is inserted twice: then nobody knows which of them a removal gave.
inline std::optional<Items> collect_items(const CallHistory& history, Name insertion) {
  Items result;
  std::unordered_map<Value, std::size_t> by_value;
  const auto& operations = history.operations();
  for (OperationIndex i = 0; i < operations.size(); ++i) {
    if (operations[i].input.name != insertion) continue;
    if (!by_value.try_emplace(operations[i].input.first, result.items.size()).second) return std::nullopt;
    result.items.push_back({i, kNone, operations[i].called, operations[i].returned});
  }
  const auto complain = [&](const Violation& violation) {
    if (!result.violation || violation.prefix < result.violation->prefix) result.violation = violation;
  };
  for (OperationIndex i = 0; i < operations.size(); ++i) {
    const auto& operation = operations[i];
    if (operation.input.name == insertion) continue;
    if (!operation.output) {
      result.open.push_back(i);
    } else if (operation.output->kind == Reply::Kind::kEmpty) {
      result.empties.push_back(i);
    } else {
      const auto found = by_value.find(operation.output->value);
      if (found == by_value.end() || result.items[found->second].in_from > operation.returned) {
        complain(violation_of(Pattern::kFromNowhere, history, {i}, i));
      } else if (Item& item = result.items[found->second]; item.out != kNone) {
        const bool later = operations[item.out].returned > operation.returned;
        complain(violation_of(Pattern::kTwice, history, {item.out, i}, later ? item.out : i));
      } else {
        remove_by(item, i, history);
      }
    }
  }
  result.items.erase(std::remove_if(result.items.begin(), result.items.end(),
                                    [](const Item& item) { return item.in_to == kNever; }),
                     result.items.end());
  return result;
}

// For each gap, how many values are in the container for certain.
inline std::vector<std::uint32_t> certain_load(const std::vector<Item>& items, std::size_t gaps) {
  std::vector<std::uint32_t> load(gaps + 1, 0);
  for (const Item& item : items) {
    if (!item.surely_inside()) continue;
    ++load[item.in_to];
    --load[std::min<std::size_t>(item.out_from, gaps)];  // wraps; the sums below do not
  }
  for (std::size_t gap = 1; gap <= gaps; ++gap) load[gap] += load[gap - 1];
  load.resize(gaps);
  return load;
}

// A removal that found nothing takes effect in a gap in which nothing is there for certain: the first one, or
// kNever.
inline std::vector<Position> empty_gaps(const CallHistory& history,
                                        const std::vector<OperationIndex>& empties,
                                        const std::vector<std::uint32_t>& load) {
  std::vector<Position> next(load.size() + 1, kNever);
  for (std::size_t gap = load.size(); gap-- > 0;)
    next[gap] = load[gap] == 0 ? static_cast<Position>(gap) : next[gap + 1];
  std::vector<Position> result;
  for (const OperationIndex empty : empties) {
    const Position gap = next[history[empty].called];
    result.push_back(gap < history[empty].returned ? gap : kNever);
  }
  return result;
}

// Few values that fill all the time of a removal that found nothing: at each step the one that stays longest.
inline Violation never_empty(const CallHistory& history, std::vector<Item> items, OperationIndex empty) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.in_to < b.in_to; });
  std::vector<OperationIndex> involved = {empty};
  std::size_t next = 0;
  for (Position reached = history[empty].called; reached < history[empty].returned;) {
    const Item* longest = nullptr;
    for (; next < items.size() && items[next].in_to <= reached; ++next) {
      if (longest == nullptr || items[next].out_from > longest->out_from) longest = &items[next];
    }
    if (longest == nullptr || longest->out_from <= reached) break;
    involved.push_back(longest->in);
    reached = longest->out_from;
  }
  return violation_of(Pattern::kNotEmpty, history, involved, empty);
}

}  // namespace heddle::linearize
