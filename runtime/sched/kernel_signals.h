// The kernel's own sigaction: ours goes straight to it, past the program's interposers.
#pragma once

#include <signal.h>

#include "core/base/raw_syscall.h"

namespace heddle::sched {

struct KernelSigaction {
  void (*handler)(int, siginfo_t*, void*) = nullptr;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  unsigned long mask = 0;
};

// Returns from a handler; the kernel puts its address on the handler's stack.
extern "C" void heddle_restore_signal();

inline long set_kernel_action(int signal, void (*handler)(int, siginfo_t*, void*), unsigned long flags,
                              unsigned long mask = 0) {
  constexpr unsigned long kRestorer = 0x04000000;
  const KernelSigaction action{handler, flags | kRestorer, heddle_restore_signal, mask};
  return raw_syscall(SYS_rt_sigaction, signal, &action, 0, 8);
}

}  // namespace heddle::sched
