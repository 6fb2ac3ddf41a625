// One execution as a campaign runs it, without events, in a process of its own: what a recorded execution has
// to be equal to.
#pragma once

#include "tool/run/target.h"

namespace heddle::run {

struct FreeRun {
  ExecutionResult result;
  std::vector<Choice> choices;
};
// `how`: index, replay and campaign count.
Result<FreeRun> run_free(const Target& target, RunSpec spec, const SingleOptions& how);

// In which way two runs of an execution differ, in a few words; empty: in none.
std::string difference_of(const ExecutionResult& a, const ExecutionResult& b);

// An execution was run once more and came out otherwise (`recorded`) than it had (`free`). Is it the program
// that is not the same each time? It is not, where each of the two repeats by itself.
Result<bool> is_difference_of_recording(const Target& target, const RunSpec& spec, const SingleOptions& how,
                                        const ExecutionResult& free, const ExecutionResult& recorded);

}  // namespace heddle::run
