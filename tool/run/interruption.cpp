#include "tool/run/interruption.h"

#include <signal.h>

namespace heddle::run {
namespace {

// A signal handler reaches nothing else.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interruption(int) { interrupted.store(true, std::memory_order_relaxed); }

}  // namespace

void catch_interruptions() {
  struct sigaction action = {};
  action.sa_handler = on_interruption;
  // No SA_RESTART: what waits looks at the flag.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before = {};
    // What is ignored stays so, as under nohup.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

const std::atomic<bool>& interruption() { return interrupted; }

}  // namespace heddle::run
