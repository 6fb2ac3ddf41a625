// Differential schedule projection: of two executions, one that fails and one that does not, only what
// differs (Machado, PhD thesis, 4.1.6).
//
// A step is kept
//   - if it takes part in a data flow that the other execution does not have: a read that is in both and
//   reads
//     another write in each, with both writes;
//   - if it is one of two steps of different threads that are in both executions, in different orders;
//   - if it is where a thread leaves the path that it takes in the other execution.
// The common prefix has no two steps in different orders, so of it only the writes of varied flows stay. What
// a thread does beyond the end of its counterpart (the failed thread in the execution that passes) is no
// difference of schedules, and stays out unless it is such a write.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"

namespace heddle::cause {

inline constexpr std::uint32_t kNoStep = ~0u;

// Steps are the same step of both executions if thread and ordinal are, and what they do.
struct Step {
  ThreadId thread = kMainThread;
  std::uint32_t ordinal = 0;   // n-th event of its thread
  std::uint32_t variable = 0;  // 0: none; objects of synchronisation are variables, too
  bool reads = false;          // locks and the like write their object, and read nothing
  bool writes = false;
  std::uint32_t source =
      kNoStep;  // place in its own span of the write that it read; kNoStep: the initial value
};

// A read in both executions that reads another write in each. Places in the spans; a writer is kNoStep for
// the initial value.
struct FlowVariation {
  std::uint32_t failing_reader = kNoStep;
  std::uint32_t failing_writer = kNoStep;
  std::uint32_t alternate_reader = kNoStep;
  std::uint32_t alternate_writer = kNoStep;
};

struct Projection {
  std::vector<bool> failing;  // for each step: is it kept?
  std::vector<bool> alternate;
  std::vector<FlowVariation> flows;  // in the order of the failing execution
  // Where a thread leaves the path that it takes in the other execution; kNoStep: it ends there.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> partings;
};

// Which pairs in different orders count: every one, as in the thesis, or only those of one variable of which
// at least one writes, since the order of others decides nothing.
enum class OrderRule : std::uint8_t { kEveryPair, kDependentPairs };

// REQUIRES: the steps of each thread are in the order of their ordinals; sources lie within their span.
Projection projection(std::span<const Step> failing, std::span<const Step> alternate,
                      OrderRule rule = OrderRule::kEveryPair);

// Differential path-schedule projection (5.2.3), of executions on different paths. The common prefix goes,
// and of the rest only data flows of one execution that the other does not have are kept, also where the
// reader or the writer is in one of them only, and the steps at which control flow differs. In a flow of one
// execution only, the other's reader is kNoStep.
Projection path_projection(std::span<const Step> failing, std::span<const Step> alternate);

}  // namespace heddle::cause
