#include "runtime/session/syscall_gate.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "core/base/raw_syscall.h"
#include "runtime/engine/own_code.h"
#include "runtime/sched/kernel_signals.h"
#include "runtime/session/crash.h"
#include "runtime/session/session.h"
#include "runtime/session/zygote.h"

namespace heddle::session {
namespace {

constexpr int kSetSyscallUserDispatch = 59;  // linux/prctl.h, Linux 5.11
constexpr long kDispatchOn = 1;
constexpr unsigned char kAllow = 0;
constexpr unsigned char kBlock = 1;
constexpr int kSysUserDispatch = 2;  // si_code

struct GateInUse {
  SyscallGate* gate = nullptr;
  SyscallAnswer* answer = nullptr;  // who may answer for the kernel
};
GateInUse in_use;

// These cannot be made by the handler: the child would go on in it, on another stack or on its parent's, and
// rt_sigreturn looks for its frame there.
bool needs_own_frame(long number) {
  return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork ||
         number == SYS_rt_sigreturn;
}

// Where such a call goes on. One word for all: a child that shares our memory has no dispatch, and gets here
// before its parent, which waits for it, makes another such call, or both come from the same place in libc.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): named by the assembly below
__attribute__((visibility("hidden"))) std::uint64_t heddle_after_syscall = 0;
void heddle_make_syscall();
// NOLINTEND(readability-identifier-naming)
}
__asm__(R"(
    .text
    .hidden heddle_make_syscall
    .globl heddle_make_syscall
    .type heddle_make_syscall, @function
heddle_make_syscall:
    syscall
    jmp *heddle_after_syscall(%rip)
    .size heddle_make_syscall, . - heddle_make_syscall
)");

// A blocked SIGSYS would be the end of the process at its next system call.
long set_signal_mask(const long* arguments) {
  const auto* wanted = reinterpret_cast<const std::uint64_t*>(arguments[1]);
  std::uint64_t mask = 0;
  if (wanted != nullptr) {
    mask = *wanted;
    if (arguments[0] != SIG_UNBLOCK) mask &= ~(std::uint64_t{1} << (SIGSYS - 1));
  }
  return raw_syscall(SYS_rt_sigprocmask, arguments[0], wanted != nullptr ? &mask : nullptr, arguments[2],
                     arguments[3]);
}

// Runs on the stack of the program's thread that made the call.
void on_syscall(int signal, siginfo_t* info, void* context) {
  if (info->si_code != kSysUserDispatch) return on_crash(signal, info, context);
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long number = info->si_syscall;
  const long arguments[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                             registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
  long answer = 0;
  in_use.gate->note_call();
  if (execution() != nullptr) execution()->probe_leaves();
  if (in_use.answer != nullptr && execution() != nullptr &&
      in_use.answer(number, arguments, static_cast<std::uint64_t>(registers[REG_RIP]), answer)) {
    registers[REG_RAX] = answer;
    return;
  }
  if (!SyscallGate::harmless(number, arguments)) {
    // libc's exit() comes here, with nothing left to do. The handler is never returned from.
    if (number == SYS_exit_group && execution() != nullptr)
      end_execution(Ending::kExited, static_cast<int>(arguments[0] & 0xff));
    in_use.gate->open(number);
  }
  if (needs_own_frame(number)) {
    heddle_after_syscall = static_cast<std::uint64_t>(registers[REG_RIP]);
    registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_make_syscall);
    registers[REG_RAX] = number;
    return;
  }
  registers[REG_RAX] = number == SYS_rt_sigprocmask
                           ? set_signal_mask(arguments)
                           : raw_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                                         arguments[4], arguments[5]);
}

}  // namespace

bool SyscallGate::close() {
  opened_ = false;
  called_ = true;
  reason_ = -1;
  sched::set_kernel_action(SIGSYS, on_syscall, SA_SIGINFO | SA_NODEFER);
  const std::uint64_t own = std::uint64_t{1} << (SIGSYS - 1);
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &own, 0, 8);
  const auto begin = reinterpret_cast<std::uint64_t>(__ehdr_start);
  const auto end = reinterpret_cast<std::uint64_t>(_etext);
  selector_ = kAllow;
  if (raw_syscall(SYS_prctl, kSetSyscallUserDispatch, kDispatchOn, begin, end - begin, &selector_) != 0)
    return false;
  selector_ = kBlock;
  return true;
}

void SyscallGate::open(long number) {
  if (!opened_) reason_ = number;
  opened_ = true;
}

bool SyscallGate::harmless(long number, const long* arguments) {
  switch (number) {
    case SYS_write:
    case SYS_writev:
      // Standard output and error end up in a memory file whose position the session sets back.
      return arguments[0] == 1 || arguments[0] == 2;
    case SYS_read:
    case SYS_lseek:
      // The session sets the position of standard input back, too.
      return arguments[0] == 0;
    case SYS_futex:
      return (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAKE;
    case SYS_rt_sigprocmask:  // set back by the session
    case SYS_fstat:
    case SYS_newfstatat:
    case SYS_clock_gettime:
    case SYS_clock_getres:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_getcpu:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_gettid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_getrandom:
    case SYS_getcwd:
    case SYS_getrusage:
    case SYS_getrlimit:
    case SYS_access:
    case SYS_readlink:
    case SYS_sched_yield:
    case SYS_sched_getaffinity:
    case SYS_sysinfo:
    case SYS_times:
    case SYS_uname:
      return true;
    default:
      return false;
  }
}

SyscallGate* syscall_gate() { return in_use.gate; }
void set_syscall_gate(SyscallGate* gate) { in_use.gate = gate; }
void set_syscall_answer(SyscallAnswer* answer) { in_use.answer = answer; }

void program_makes_syscall(long number, const long* arguments) {
  if (in_use.gate == nullptr) return;
  in_use.gate->note_call();
  if (execution() != nullptr) execution()->probe_leaves();
  if (!SyscallGate::harmless(number, arguments)) in_use.gate->open(number);
}

void program_uses_file() {
  if (in_use.gate != nullptr) in_use.gate->note_call();
}

}  // namespace heddle::session
