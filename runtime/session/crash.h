// Fatal signals become findings.
#pragma once

namespace heddle::session {

void install_crash_handlers();
// Is the signal's handler ours, so that a program's own sigaction should win over it?
bool is_crash_signal(int signal);

}  // namespace heddle::session
