// All outcomes that the axioms allow a small program, by brute force: every reads-from, every modification
// order.
#pragma once

#include "tests/oracle/program.h"

namespace oracle {

Outcomes consistent_outcomes(const Program& program);

// All outcomes of sequentially consistent interleavings, by running them.
Outcomes interleaved_outcomes(const Program& program);

}  // namespace oracle
