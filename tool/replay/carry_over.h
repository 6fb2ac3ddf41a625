// Finds an execution of one build of a program again in another build. Its departures (core/trace/plan.h) are
// looked up by what their threads had just done: a place in the source, and how often they had come there. Each
// is confirmed by executing what there is so far. Lines that have moved are found by their text.
#pragma once

#include <vector>

#include "tool/replay/candidates.h"
#include "tool/run/target.h"

namespace heddle::replay {

// What there is of an execution in another build.
struct Carried {
  Candidates candidates;        // of the other build
  std::vector<Departure> plan;  // the departures that it has, too
  Candidates::Explained last;   // the execution that they make
  bool shows_bug = false;       // the bug is the first finding of its trace
};
// `original` is a minimised trace: of others it is not known where they depart.
Result<Carried> carry_plan(const run::Target& other_build, const Trace& original);

// An error (kInconclusive) where the other build does not come to the same bug.
Result<Trace> carry_over(const run::Target& other_build, const Trace& original);

// The first of the findings that is the bug that `original` is kept for comes first. False: there is none.
bool put_same_first(Trace& trace, const Trace& original);

}  // namespace heddle::replay
