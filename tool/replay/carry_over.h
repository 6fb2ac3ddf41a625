// Finds an execution of one build of a program again in another build. Its departures (core/trace/plan.h) are
// looked up by what their threads had just done: a place in the source, and how often they had come there. Each
// is confirmed by executing what there is so far.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

// `original` is a minimised trace: of others it is not known where they depart. An error (kInconclusive)
// where the other build does not come to the same bug.
Result<Trace> carry_over(const run::Target& other_build, const Trace& original);

}  // namespace heddle::replay
