// The call stack of the running thread by unwinding it.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/stack_depot.h"

namespace heddle::engine {

// The callers of the function that called the runtime; kEmptyStack where it cannot be unwound.
// The shadow stack knows only calls of instrumented functions: a call from the program into a library that
// then calls us (std::thread's constructor, say) is missing in it. Takes microseconds; for recorded
// executions.
StackId unwound_callers(StackDepot& depot);

}  // namespace heddle::engine
