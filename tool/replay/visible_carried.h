// Plain accesses that are choices (core/trace/visible_places.h) of one build's execution, in another build.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

// By their lines, which may have moved, and by the names of global variables. What the other build does not have is left
// out, and so is memory without a name.
VisiblePlaces visible_carried(const run::Target& other_build, const Trace& original);

}  // namespace heddle::replay
