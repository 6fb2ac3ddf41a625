// The entry point: answers whether a history is linearizable, by the cheapest way that is right for it.
//
//   linearize::Answer answer = linearize::check(linearize::QueueSpec{}, history);
#pragma once

#include "core/linearize/answer.h"
#include "core/linearize/history.h"
#include "core/linearize/parts.h"
#include "core/linearize/search.h"
#include "core/linearize/specification.h"
#include "core/linearize/specs.h"

namespace heddle::linearize {

template <Specification Spec>
Answer check(const Spec& initial, const History<typename Spec::Input, typename Spec::Output>& history,
             const Options& options = {}) {
  return check_by_search(initial, history, options);
}

}  // namespace heddle::linearize
