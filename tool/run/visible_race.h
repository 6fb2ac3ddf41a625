// Where the accesses of a race are, as places that later executions make visible (core/trace/visible_places.h).
#pragma once

#include "core/trace/visible_places.h"
#include "tool/trace/trace.h"

namespace heddle::run {

// Adds the code of both accesses that the program makes itself, and the memory raced for unless it is on a stack,
// whose addresses belong to many variables. False: nothing new was added.
bool add_race(const TraceFinding& race, VisiblePlaces& places);

// The memory of both accesses alone, on stacks as well: for executions of two bodies of the same code, whose accesses are
// the same and whose code lies elsewhere (tool/replay/symbolic.cpp).
bool add_raced_memory(const TraceFinding& race, VisiblePlaces& places);

}  // namespace heddle::run
