// Explains a failing execution by its constraints (tool/constraints): the root cause is a minimal set of
// orderings that no execution which passes can have, and an execution that passes comes of inverting one of
// them. Whatever the solver says is executed before it is believed. Needs a program built with `heddle c++
// --full`.
#pragma once

#include "tool/run/target.h"
#include "tool/trace/explanation.h"

namespace heddle::cause {

struct SolvingOptions {
  std::size_t most_alternates = 16;     // schedules that invert pairs of the root cause
  std::uint64_t most_executions = 100;  // of all schedules of the solver
  std::vector<int> allowed_exits;
  bool solve_failing = false;  // also a failing execution, from the paths alone
};

// An error where the trace cannot be had. Where no schedule of the solver passes when it is executed,
// `passing` is empty and why_not_solved says so: then interventions are left (interventions.h).
Result<Explanation> explain_by_solving(const run::Target& target, const Trace& failing,
                                       const SolvingOptions& options);

}  // namespace heddle::cause
