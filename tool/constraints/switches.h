// Fewer switches between threads, the same failure (Machado, PhD thesis, 4.1.7, Algorithm 6), every candidate
// decided by linear simulation where the thesis asks the solver.
#pragma once

#include "tool/constraints/execution.h"
#include "tool/constraints/symbolic_trace.h"

namespace heddle::constraints {

struct FewerSwitches {
  Execution execution;
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  std::uint64_t simulations = 0;
};

// REQUIRES: `failing` fails in the model. Under C++20 what reads read and the modification order stay.
FewerSwitches reduce_switches(const SymbolicTrace& trace, const Execution& failing, Model model);

}  // namespace heddle::constraints
