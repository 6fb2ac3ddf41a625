// What an execution that passes has to say about one that fails.
#pragma once

#include <tuple>

#include "tool/cause/steps.h"
#include "tool/trace/explanation.h"

namespace heddle::cause {

// Smaller is better: steps of the thread that failed, and of others, that the other execution does not have;
// data flows that differ; events that are shown.
using Difference = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

struct Comparison {
  ProjectedRun failing;  // without its trace
  ProjectedRun passing;
  Difference difference;
  bool says_something() const { return !failing.kept.empty() || !passing.kept.empty(); }
};

// `passing` moves into the comparison.
Comparison compare(const Trace& failing, Trace passing);

// Whatever their paths: data flows of one execution only, with what takes part in them, and where threads
// leave the path that they take in the other one (5.2.3).
Comparison compare_paths(const Trace& failing, Trace passing);

// How much there is that could differ.
void count_all(const Trace& failing, Explanation& explanation);

}  // namespace heddle::cause
