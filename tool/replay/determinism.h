// Is the program a function of its choices? Each execution is run as a campaign runs it, once more with
// events, and a third time by exact replay of the choices of the first; all three have to be the same.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

struct Determinism {
  std::uint64_t executions = 0;  // that were compared
  std::string divergence;        // the first, in whole sentences; empty: none
  bool is_own = false;           // the divergence is a fault of heddle's and not of the program
};

Result<Determinism> verify_determinism(const run::Target& target, const RunSpec& spec,
                                       std::uint64_t executions);

}  // namespace heddle::replay
