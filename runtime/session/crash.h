// Fatal signals become findings.
#pragma once

#include <signal.h>

namespace heddle::session {

void install_crash_handlers();
// The handler: reports the signal as the execution's finding.
void on_crash(int signal, siginfo_t* info, void* context);
// Is the signal's handler ours, so that a program's own sigaction should win over it?
bool is_crash_signal(int signal);

}  // namespace heddle::session
