// A litmus program through the whole engine: the precompiled interpreter under a campaign.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

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

// `interpreter` as resolve_target gives it; its arguments are replaced. An error also where the interpreter
// fails in any way, which would be a bug of ours.
Result<Explored> explore_program(const run::Target& interpreter, const litmus::Program& program,
                                 const ExploreOptions& options);

// The interpreter's command line for a program.
run::Target with_program(run::Target interpreter, const litmus::Program& program);

}  // namespace heddle::bench
