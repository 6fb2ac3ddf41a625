// Is the program a function of its choices? Runs executions twice and compares every event.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

struct Determinism {
  std::uint64_t executions = 0;  // that were run twice
  std::string divergence;        // the first, in whole sentences; empty: none
};

Result<Determinism> verify_determinism(const run::Target& target, const RunSpec& spec,
                                       std::uint64_t executions);

}  // namespace heddle::replay
