// All outcomes that the axioms allow a small program, by brute force: every reads-from, every modification
// order.
#pragma once

#include "tests/oracle/program.h"

namespace oracle {

enum class Strength {
  kModel,     // the axioms of docs/design/memory-model.md
  kStandard,  // C++20 in full: also load buffering, and S that contradicts happens-before or reads-from
};

Outcomes consistent_outcomes(const Program& program, Strength strength = Strength::kModel);

// All outcomes of sequentially consistent interleavings, by running them.
Outcomes interleaved_outcomes(const Program& program);

}  // namespace oracle
