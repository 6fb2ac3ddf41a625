// An execution of one build of a program, found again in another build: its departures (core/trace/plan.h)
// are looked up by what their threads had just done, as a place in the source and the how manieth time they
// came there, and each is confirmed by executing what there is so far.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

// `original` is a minimised trace: of others it is not known where they depart. An error (kInconclusive)
// where the other build does not come to the same bug.
Result<Trace> carry_over(const run::Target& other_build, const Trace& original);

}  // namespace heddle::replay
