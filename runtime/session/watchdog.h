// Where an execution hangs: asked by the zygote before it ends one whose time is up.
//
// A thread that spins or blocks in code without instrumentation never comes back to the engine. The zygote
// looks up whether the process is in a system call and sends a signal that no program uses (SIGSTKFLT); its
// handler writes the module and the offset of the program counter into the channel.
#pragma once

#include "core/trace/channel.h"

namespace heddle::session {

void install_watchdog();

// In the process that is to run executions: begins to look for spins.
void watch_spins();
// In the zygote: fills in the channel's `stuck`. Takes a fifth of a second.
void ask_where(Channel channel, long pid);

}  // namespace heddle::session
