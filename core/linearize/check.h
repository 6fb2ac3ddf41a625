// The entry point: answers whether a history is linearizable, by the cheapest way that is right for it.
//
//   linearize::Answer answer = linearize::check(linearize::QueueSpec{}, history);
//
// Queues and stacks that start empty, and registers, whose values are distinct have algorithms of their own,
// and so have counters; all else is search, part by part where the specification has parts.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "core/linearize/answer.h"
#include "core/linearize/counter_order.h"
#include "core/linearize/history.h"
#include "core/linearize/parts.h"
#include "core/linearize/queue_order.h"
#include "core/linearize/register_zones.h"
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

template <typename Spec>
Answer check(const Spec& initial, const History<typename Spec::Input, typename Spec::Output>& history,
             const Options& options = {}) {
  if constexpr (std::is_same_v<Spec, QueueSpec>) {
    if (initial == Spec{}) {
      if (auto answer = check_known(history, QueueOrder::check)) return std::move(*answer);
    }
  }
  if constexpr (std::is_same_v<Spec, StackSpec>) {
    if (initial == Spec{}) {
      const auto known = [&](const CallHistory& prefix) { return check_stack(prefix, options); };
      if (auto answer = check_known(history, known)) return std::move(*answer);
    }
  }
  if constexpr (std::is_same_v<Spec, RegisterSpec>) {
    const auto known = [&](const CallHistory& prefix) { return RegisterZones::check(prefix, initial.value); };
    if (auto answer = check_known(history, known)) return std::move(*answer);
  }
  if constexpr (std::is_same_v<Spec, CounterSpec>) {
    const auto known = [&](const CallHistory& prefix) {
      return std::optional<Answer>(CounterOrder::check(prefix, initial.count));
    };
    return *check_known(history, known);
  }
  return check_by_search(initial, history, options);
}

}  // namespace heddle::linearize
