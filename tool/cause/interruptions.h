// Where others came between what a thread did, so that it could not have been one step: between a look and what was
// done because of it, for example. For remedies that make it one.
#pragma once

#include <vector>

#include "tool/trace/explanation.h"

namespace heddle::cause {

struct Interruption {
  // Two accesses of one thread, and what another one did between them that conflicts with both, perhaps by way of others.
  const TraceEvent* first = nullptr;
  const TraceEvent* last = nullptr;
  const TraceEvent* between = nullptr;
  // In the function of the user's that does both, perhaps by calls: where it does the one and the other. Empty where
  // there is none.
  Frame from, to;
  // The operations with a turn of their own around the gap, the nearest first.
  std::vector<const TraceEvent*> before, after;
};

// The likeliest cause first, each pair of places once; `trace` must stay. What the execution's failure was decided by
// (`curve`, whose events are of the trace) comes before all else.
std::vector<Interruption> interruptions(const Trace& trace, const FailureCurve& curve);

// Is `last` in a later round of a loop than `first`, of the same thread? Who makes that one step makes all rounds one.
bool is_carried_by_loop(const Trace& trace, const TraceEvent& first, const TraceEvent& last);

// The same where nobody is seen to conflict: only where others ran in between, the latest first.
std::vector<Interruption> plain_gaps(const Trace& trace);

}  // namespace heddle::cause
