// Signals by which a user, a shell or a service manager ends a command: SIGINT, SIGTERM, SIGHUP and SIGQUIT
// mean the same to heddle. The first asks it to stop with what it has; the second ends it at once.
#pragma once

#include <atomic>

namespace heddle::run {

// From here on the first such signal only sets interruption().
void catch_interruptions();

// Set by the first signal; for everything that takes long to look at.
const std::atomic<bool>& interruption();
inline bool was_interrupted() { return interruption().load(std::memory_order_relaxed); }

}  // namespace heddle::run
