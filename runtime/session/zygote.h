// Many executions from one start: the zygote at the first choice, and its children.
#pragma once

#include "core/trace/channel.h"

namespace heddle::session {

// Returns once for each execution, at its first choice, in a child of the calling process.
void become_zygote();

// Ends the execution under way.
[[noreturn]] void end_execution(Ending ending, int status);

// A signal handler is about to end the execution: the process is not fit for another one.
void note_crash();

}  // namespace heddle::session
