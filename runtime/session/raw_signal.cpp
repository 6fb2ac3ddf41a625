#include "runtime/session/raw_signal.h"

#include "core/base/raw_syscall.h"

extern "C" void heddle_restore_signal();
asm(".text\n.hidden heddle_restore_signal\nheddle_restore_signal:\n\tmovq $15, %rax\n\tsyscall\n");

namespace heddle::session {
namespace {

// The kernel's sigaction differs from libc's.
struct KernelSigaction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};
constexpr unsigned long kRestorer = 0x04000000;

}  // namespace

void set_raw_handler(int signal, void (*handler)(int, siginfo_t*, void*), unsigned long flags) {
  KernelSigaction action{handler, SA_SIGINFO | SA_NODEFER | kRestorer | flags, heddle_restore_signal, 0};
  raw_syscall(SYS_rt_sigaction, signal, &action, 0, 8);
}

void set_default_action(int signal) {
  KernelSigaction action{};
  raw_syscall(SYS_rt_sigaction, signal, &action, 0, 8);
}

}  // namespace heddle::session
