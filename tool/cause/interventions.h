// Finds an execution that is nearly a failing one and passes, by changing a choice of it and executing what
// comes of it. Works for every program that heddle runs; where the program was built for it, constraints say
// more (tool/constraints).
#pragma once

#include <chrono>

#include "tool/replay/candidates.h"
#include "tool/trace/explanation.h"

namespace heddle::cause {

struct InterventionOptions {
  double seconds = 10;
  std::uint64_t most_executions = 2000;
  std::size_t most_compared = 24;  // passing executions that are traced and compared
  std::vector<int> allowed_exits;
};

// `failing` is best a minimised trace: the fewer departures it makes, the fewer there are to change. Fills in
// everything of the explanation but its remedy; `passing` is empty where no change made it pass.
Result<Explanation> intervene(const run::Target& target, const Trace& failing,
                              const InterventionOptions& options);

// The execution of `choices` once more, with plain accesses to shared memory among its events.
Result<Trace> trace_in_full(const run::Target& target, const RunSpec& spec, std::uint64_t execution,
                            std::span<const Choice> choices, const std::vector<int>& allowed_exits);

// Both executions, each with the accesses to all memory that threads share in either: what one of them leaves out would
// look like a difference.
struct TracedPair {
  Trace failing, passing;
};
Result<TracedPair> trace_both(const run::Target& target, const Trace& failing,
                              std::span<const Choice> passing, const std::vector<int>& allowed_exits);

}  // namespace heddle::cause
