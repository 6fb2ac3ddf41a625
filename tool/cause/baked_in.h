// When a failure is decided: from each beginning of the failing execution, executions go on with choices drawn at
// random, and the share of them that fails is a curve, from how often the failure comes anyway to 1. Where it jumps, the
// failure was decided.
//
// One fixed way to draw (each alternative alike), so that executions are independent and shares have an interval.
#pragma once

#include <cstdint>
#include <vector>

#include "tool/run/target.h"
#include "tool/trace/explanation.h"

namespace heddle::cause {

struct BakedInOptions {
  double seconds = 2;
  std::uint64_t most_executions = 50'000;
  std::vector<int> allowed_exits;
};

// An error where the execution does not repeat. The curve is empty where there is no choice to be made. Its events are
// those of `shown`: the same execution, perhaps with more events.
Result<FailureCurve> baked_in(const run::Target& target, const Trace& failing, const Trace& shown,
                              const BakedInOptions& options);

// What was decided by a choice before the event with this number in `failing`: the next operation of its thread for
// which threads take turns, as it is in `shown`. kNoEvent: there is none.
EventId decided_by(const Trace& failing, std::uint32_t event, const Trace& shown);

// Wilson's interval of 95 % for `failed` of `executions`.
struct Share {
  double low = 0, high = 1;
};
Share share_of(std::uint64_t failed, std::uint64_t executions);

}  // namespace heddle::cause
