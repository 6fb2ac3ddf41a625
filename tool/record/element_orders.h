// Access vectors as the engine is told to keep them (core/trace/orders.h): for run::SingleOptions::orders and
// LaunchOptions::orders.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tool/record/access_log.h"

namespace heddle {

// `vectors`, of different elements; their threads are indices into `threads`. Elements without a vector are
// left to the strategy; an element with an empty one is not to be accessed at all while others can run.
//
// `lent`: elements whose vectors are of another run than the rest, and give way where they do not fit;
// `all_give_way`: so do, where that does not help, the others.
//
// The run needs RunSpec::element_points: then plain accesses are scheduling points, and the choices of the
// execution replay without the vectors. ModelKind::kSc lets loads read what came last, as the vectors mean
// it, and max_spurious = 0 keeps out wake-ups that the log does not have. What comes of it:
//   Ending::kInfeasible   nobody could go on; ExecutionResult::divergence_choice is the index of a vector,
//                         by element, that was stuck; SingleRun::orders how far each came
//   anything else         as in any other run
std::vector<std::byte> make_orders(std::span<const AccessVector> vectors,
                                   const std::vector<std::string>& threads,
                                   const std::set<std::uint64_t>& lent = {}, bool all_give_way = false);

}  // namespace heddle
