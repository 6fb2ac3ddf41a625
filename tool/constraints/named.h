// The orderings of an execution that together fix everything its outcome depends on, each one with a name of
// its own: the φ_fsch of Φ_root (Machado, PhD thesis, 4.1.4). Not every pair of the total order: only those
// of accesses to one cell and of operations on one object, each with its neighbour.
#pragma once

#include <vector>

#include "tool/constraints/problem.h"
#include "tool/constraints/schedules.h"

namespace heddle::constraints {

std::vector<Ordering> named_orderings(const Structure& structure, const Problem& problem,
                                      const Execution& execution, Model model);
Literal literal_of(Problem& problem, const Structure& structure, const Ordering& ordering);

// REQUIRES: all that `execution` orders is included in the structure. What a failing execution of a deadlock
// leaves out comes last.
Execution extended(const Structure& structure, const Execution& execution);

}  // namespace heddle::constraints
