// All outcomes that the axioms allow a small program, by brute force: every reads-from, every modification
// order.
#pragma once

#include "tests/oracle/axioms.h"
#include "tests/oracle/program.h"

namespace oracle {

struct Strength {
  SeqCst seq_cst = SeqCst::kRepaired;
  bool load_buffering = false;  // C++20 allows it; no model here does
};

Outcomes consistent_outcomes(const Program& program, const Strength& strength = {});

// All outcomes of sequentially consistent interleavings, by running them.
Outcomes interleaved_outcomes(const Program& program);

}  // namespace oracle
