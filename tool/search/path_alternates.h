// Why an execution failed, where no schedule of the same paths passes: beside an execution that passes
// because a branch near the failure goes the other way (Machado, PhD thesis, 5.2.3: the differential
// path-schedule projection).
#pragma once

#include "tool/run/target.h"
#include "tool/trace/explanation.h"

namespace heddle::search {

struct PathAlternateOptions {
  std::size_t most_branches = 64;  // the nearest to the failure
  std::size_t most_passing = 8;    // executions that pass, of which the nearest is shown
  double seconds = 15;
  std::vector<int> allowed_exits;
};

// `passing` is empty where no flip led to an execution that passes. Needs a program built with --full.
Result<Explanation> explain_by_flips(const run::Target& target, const Trace& failing,
                                     const PathAlternateOptions& options);

// The projection of an execution that fails and one that passes, whatever their paths.
Result<Explanation> project(const run::Target& target, const Trace& failing, Trace passing,
                            const std::vector<int>& allowed_exits);

}  // namespace heddle::search
