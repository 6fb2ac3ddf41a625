// Is the program a function of its choices? Runs executions twice and compares every event.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

// Prints what it finds and answers the exit code: 0 all equal, 1 a divergence.
int verify_determinism(const run::Target& target, const RunSpec& spec, std::uint64_t executions);

}  // namespace heddle::replay
