// Signal handlers without libc, whose functions are the program's.
#pragma once

#include <signal.h>

namespace heddle::session {

// Installs `handler` with SA_SIGINFO, SA_NODEFER and `flags`.
void set_raw_handler(int signal, void (*handler)(int, siginfo_t*, void*), unsigned long flags);
void set_default_action(int signal);

}  // namespace heddle::session
