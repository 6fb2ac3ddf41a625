// The entry point: answers whether a history is linearizable, by the cheapest way that is right for it.
//
//   linearize::Answer answer = linearize::check(linearize::QueueSpec{}, history);
//
// Queues and stacks that start empty and whose values are distinct have algorithms of their own; all else is
// search, part by part where the specification has parts.
#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include "core/linearize/answer.h"
#include "core/linearize/history.h"
#include "core/linearize/parts.h"
#include "core/linearize/queue_order.h"
#include "core/linearize/search.h"
#include "core/linearize/shortest.h"
#include "core/linearize/specification.h"
#include "core/linearize/specs.h"
#include "core/linearize/stack_nesting.h"

namespace heddle::linearize {

// `known` answers for a history, or nothing if it does not apply; then it applies to no prefix that is asked
// for.
template <typename Known>
std::optional<Answer> check_known(const CallHistory& history, const Known& known) {
  std::optional<Answer> answer = known(history);
  if (!answer || answer->verdict != Verdict::kNotLinearizable) return answer;
  return shortest_violation(history, std::move(*answer),
                            [&](const CallHistory& prefix) { return *known(prefix); });
}

template <Specification Spec>
Answer check(const Spec& initial, const History<typename Spec::Input, typename Spec::Output>& history,
             const Options& options = {}) {
  if constexpr (std::same_as<Spec, QueueSpec>) {
    if (initial == Spec{}) {
      if (auto answer = check_known(history, QueueOrder::check)) return std::move(*answer);
    }
  }
  if constexpr (std::same_as<Spec, StackSpec>) {
    if (initial == Spec{}) {
      const auto known = [&](const CallHistory& prefix) { return check_stack(prefix, options); };
      if (auto answer = check_known(history, known)) return std::move(*answer);
    }
  }
  return check_by_search(initial, history, options);
}

}  // namespace heddle::linearize
