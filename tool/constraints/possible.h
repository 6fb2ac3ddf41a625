// What can be said about a failure without asking for an order.
#pragma once

#include "tool/constraints/symbolic_trace.h"

namespace heddle::constraints {

// False: whichever writes its reads read, under sequential consistency, the condition of the failure does not
// come true. True where writes have values that depend on reads in their turn, or there are too many.
bool may_fail(const SymbolicTrace& trace);

}  // namespace heddle::constraints
