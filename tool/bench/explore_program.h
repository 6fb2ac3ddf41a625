// A litmus program through the whole engine: the precompiled interpreter under a campaign.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/litmus/program.h"
#include "core/trace/run_spec.h"
#include "tool/run/target.h"

namespace heddle::bench {

struct ExploreOptions {
  RunSpec spec;
  std::optional<std::uint64_t> executions;  // none: until the strategy is through, or the time is up
  double seconds = 0;                       // 0: no limit
};

// Every execution that there is, one after the other.
ExploreOptions exhaustive_exploration();

struct Explored {
  std::map<litmus::Outcome, std::uint64_t> outcomes;  // and the execution that showed it first
  std::uint64_t executions = 0;
  std::uint64_t pruned_executions = 0;  // in which candidates were dropped
  bool exhausted = false;               // there is no other execution
};

// `runner` runs the program: the interpreter, or code compiled for it. An error also where that fails in any
// way, which would be a bug of ours.
Result<Explored> explore_program(const run::Target& runner, const litmus::Program& program,
                                 const ExploreOptions& options);

// Explores several programs in one campaign of the interpreter, which is much cheaper. Executions and
// whether they were pruned are not known for each: every answer has those of all.
Result<std::vector<Explored>> explore_programs(const run::Target& interpreter,
                                               const std::vector<litmus::Program>& programs,
                                               const ExploreOptions& options);
// Different outcomes, of all programs together, that one campaign can keep.
inline constexpr std::size_t kMostOutcomes = 4000;

// The interpreter with the program on its command line.
run::Target with_program(run::Target interpreter, const litmus::Program& program);

}  // namespace heddle::bench
