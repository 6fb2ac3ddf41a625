// Part by part: a history is linearizable if and only if its restriction to each part is (Herlihy and Wing's
// locality; P-compositionality of Horn and Kroening, 2015). A specification says by `part` what its parts
// are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/linearize/answer.h"
#include "core/linearize/history.h"
#include "core/linearize/search.h"
#include "core/linearize/shortest.h"
#include "core/linearize/specification.h"

namespace heddle::linearize {

// A part's operations as a history of their own.
template <typename HistoryOf>
struct Part {
  HistoryOf history;
  std::vector<OperationIndex> whole;  // the number in the whole history, by the number in this one
};

// Nullopt when an operation concerns all parts.
template <typename Spec, typename HistoryOf>
std::optional<std::vector<Part<HistoryOf>>> split(const HistoryOf& history) {
  using Key = std::decay_t<decltype(*Spec::part(history[0].input))>;
  std::map<Key, std::size_t> parts_by_key;
  std::vector<Part<HistoryOf>> parts;
  std::vector<std::pair<std::size_t, OperationIndex>> places(history.operations().size());
  for (const Event& event : history.events()) {
    const auto& operation = history[event.operation];
    auto& [number, index] = places[event.operation];
    if (event.returns) {
      parts[number].history.give_back(index, *operation.output);
      continue;
    }
    const auto key = Spec::part(operation.input);
    if (!key) return std::nullopt;
    number = parts_by_key.try_emplace(*key, parts.size()).first->second;
    if (number == parts.size()) parts.emplace_back();
    index = parts[number].history.call(operation.thread, operation.input);
    parts[number].whole.push_back(event.operation);
  }
  return parts;
}

// One linearization out of one for each part. Each operation gets the earliest point that its part's order
// allows; points of different parts may then be sorted into each other.
template <typename HistoryOf>
std::vector<OperationIndex> merge(const HistoryOf& history,
                                  const std::vector<std::vector<OperationIndex>>& orders) {
  std::vector<std::tuple<Position, std::size_t, std::size_t>>
      points;  // point, part, place in the part's order
  for (std::size_t part = 0; part < orders.size(); ++part) {
    Position point = 0;
    for (std::size_t i = 0; i < orders[part].size(); ++i) {
      point = std::max(point, history[orders[part][i]].called);
      points.emplace_back(point, part, i);
    }
  }
  std::sort(points.begin(), points.end());
  std::vector<OperationIndex> order;
  order.reserve(points.size());
  for (const auto& [point, part, place] : points) order.push_back(orders[part][place]);
  return order;
}

// Search, and the shortest prefix if there is no linearization.
template <typename Spec, typename HistoryOf>
Answer check_whole(const Spec& initial, const HistoryOf& history, const Options& options) {
  Answer answer = Search<Spec>(initial, history, options).run();
  if (answer.verdict != Verdict::kNotLinearizable) return answer;
  return shortest_violation(history, std::move(answer), [&](const HistoryOf& prefix) {
    return Search<Spec>(initial, prefix, options).run();
  });
}

template <typename Spec, typename HistoryOf>
Answer check_parts(const Spec& initial, const HistoryOf& history, const std::vector<Part<HistoryOf>>& parts,
                   const Options& options) {
  Answer answer;
  answer.verdict = Verdict::kLinearizable;
  bool all_known = true;
  std::vector<std::vector<OperationIndex>> orders;
  for (const auto& [part_history, whole] : parts) {
    Answer part = check_whole(initial, part_history, options);
    answer.configurations += part.configurations;
    for (OperationIndex& operation : part.order) operation = whole[operation];
    orders.push_back(std::move(part.order));
    if (part.verdict == Verdict::kLinearizable) continue;
    if (part.verdict == Verdict::kUnknown) {
      all_known = false;
      continue;
    }
    all_known = all_known && part.violation.shortest;
    part.violation.operation = whole[part.violation.operation];
    for (OperationIndex& operation : part.violation.operations) operation = whole[operation];
    part.violation.prefix = history[part.violation.operation].returned + std::size_t{1};
    if (answer.verdict == Verdict::kLinearizable || part.violation.prefix < answer.violation.prefix) {
      answer.violation = std::move(part.violation);
    }
    answer.verdict = Verdict::kNotLinearizable;
  }
  if (answer.verdict == Verdict::kLinearizable && !all_known) answer.verdict = Verdict::kUnknown;
  if (answer.verdict == Verdict::kLinearizable) answer.order = merge(history, orders);
  answer.violation.shortest = all_known;
  return answer;
}

// Search alone, by parts where there are some.
template <typename Spec>
Answer check_by_search(const Spec& initial,
                       const History<typename Spec::Input, typename Spec::Output>& history,
                       const Options& options = {}) {
  if constexpr (kHasParts<Spec>) {
    if (!history.operations().empty()) {
      if (const auto parts = split<Spec>(history)) return check_parts(initial, history, *parts, options);
    }
  }
  return check_whole(initial, history, options);
}

}  // namespace heddle::linearize
