// sigaction and everything else about signals (runtime/engine/signals.cpp).
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "runtime/abi/blocking_call.h"
#include "runtime/abi/heddle/recording.h"
#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/process_ids.h"
#include "runtime/abi/libc/signal_descriptors.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/abi/pthread/thread_attributes.h"
#include "runtime/engine/signals.h"

namespace heddle::abi {
namespace {

using sched::SignalAction;
using sched::SignalHandler;
using sched::SignalSet;

bool valid_signal(int signal) { return signal > 0 && signal < sched::kSignals; }

SignalSet to_set(const sigset_t& set) {
  SignalSet result;
  memcpy(&result, &set, sizeof result);
  return result;
}

void from_set(SignalSet set, sigset_t* result) {
  memset(result, 0, sizeof *result);
  memcpy(result, &set, sizeof set);
}

int as_result(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// What signal() and its historic relatives do: an action with these flags. Answers the old handler.
sighandler_t simple_action(Execution& e, int signal, sighandler_t handler, int flags) {
  if (!valid_signal(signal) || signal == SIGKILL || signal == SIGSTOP) {
    errno = EINVAL;
    return SIG_ERR;
  }
  // A handler of one parameter is called with three: it does not look at the others.
  const auto old = reinterpret_cast<std::uintptr_t>(e.signals().action(signal).handler);
  set_signal_action(e, signal,
                    {reinterpret_cast<SignalHandler>(reinterpret_cast<std::uintptr_t>(handler)), flags, 0});
  return reinterpret_cast<sighandler_t>(old);
}

siginfo_t info_of(int signal, int code) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = kProgramPid;
  info.si_uid = getuid();
  return info;
}

int send_to_thread(Execution& e, const sched::Thread& t, int signal, std::uint64_t pc) {
  if (signal == 0) return 0;
  if (!valid_signal(signal)) return EINVAL;
  return send_signal(e, signal, t.id, info_of(signal, SI_TKILL), pc);
}

int send_to_process(Execution& e, int signal, const siginfo_t& info, std::uint64_t pc) {
  if (signal == 0) return 0;
  if (!valid_signal(signal)) return EINVAL;
  // Told here: from outside it would look like any other kill.
  if (signal == SIGKILL)
    e.fatal(FindingKind::kSignal, "SIGKILL, which the program sent to itself", pc, signal);
  return send_signal(e, signal, kNoThread, info, pc);
}

// One alternate stack for each thread, kept and told back: handlers run on the fibers' own stacks, which
// grow on demand; a stack overflow is caught on a stack of ours.
stack_t alternate_stacks[kMaxThreads];

// --- signalfd: a pipe that takes what the kernel would put into the descriptor -------------------------
struct SignalDescriptor {
  bool used = false;
  int read_end = -1;
  int write_end = -1;
  SignalSet set = 0;
};
constexpr int kMostSignalDescriptors = 16;
SignalDescriptor signal_descriptors[kMostSignalDescriptors];

int make_signal_descriptor(Execution& e, int descriptor, SignalSet set, int flags) {
  for (SignalDescriptor& d : signal_descriptors) {
    if (d.used && d.read_end == descriptor) {
      d.set = set;
      return descriptor;
    }
  }
  if (descriptor != -1) return libc_result<int>(-EINVAL);
  e.leave_prefix();
  for (SignalDescriptor& d : signal_descriptors) {
    if (d.used) continue;
    int ends[2];
    e.kernel_changes(SYS_pipe2);
    if (const long error = raw_syscall(SYS_pipe2, ends, O_CLOEXEC); error < 0) return libc_result<int>(error);
    if ((flags & SFD_NONBLOCK) != 0) raw_syscall(SYS_fcntl, ends[0], F_SETFL, O_NONBLOCK);
    if ((flags & SFD_CLOEXEC) == 0) raw_syscall(SYS_fcntl, ends[0], F_SETFD, 0);
    // Out of the program's way: its next descriptor is the lowest free one.
    const long moved = raw_syscall(SYS_fcntl, ends[1], F_DUPFD_CLOEXEC, 200);
    if (moved >= 0) {
      raw_syscall(SYS_close, ends[1]);
      ends[1] = static_cast<int>(moved);
    }
    d = {true, ends[0], ends[1], set};
    requeue_pending_signals(e);
    return ends[0];
  }
  limit_reached("signalfd descriptors at once (16)",
                "Let the test use fewer, or close them before it makes more.");
}

}  // namespace

bool divert_to_descriptor(const sched::QueuedSignal& signal) {
  for (const SignalDescriptor& d : signal_descriptors) {
    if (!d.used || !sched::has(d.set, signal.signal)) continue;
    signalfd_siginfo info{};
    info.ssi_signo = static_cast<std::uint32_t>(signal.signal);
    info.ssi_code = signal.info.si_code;
    info.ssi_pid = static_cast<std::uint32_t>(signal.info.si_pid);
    info.ssi_uid = signal.info.si_uid;
    info.ssi_int = signal.info.si_value.sival_int;
    info.ssi_ptr = reinterpret_cast<std::uint64_t>(signal.info.si_value.sival_ptr);
    info.ssi_status = signal.info.si_status;
    raw_syscall(SYS_write, d.write_end, &info, sizeof info);
    current->io_happened();
    return true;
  }
  return false;
}

void forget_signal_descriptor(int descriptor) {
  for (SignalDescriptor& d : signal_descriptors) {
    if (!d.used || d.read_end != descriptor) continue;
    raw_syscall(SYS_close, d.write_end);
    d = {};
  }
}

}  // namespace heddle::abi

namespace heddle::abi {
namespace {

// Of a set, libc knows the kernel's 64 signals only.
void told_mask(const ProgramCall& call, const sigset_t* set, const sigset_t* old) {
  if (set != nullptr) call.reads(set, sizeof(SignalSet));
  if (old != nullptr) call.writes(old, sizeof(SignalSet));
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::valid_signal;

HEDDLE_EXPORT int sigaction(int signal, const struct sigaction* wanted, struct sigaction* old) noexcept {
  auto* e = engine();
  if (e == nullptr) return heddle::abi::recorded_sigaction(signal, wanted, old);
  if (!valid_signal(signal) || (wanted != nullptr && (signal == SIGKILL || signal == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  const auto call = HEDDLE_EXPORTED_CALL(sigaction);
  call.reads_object(wanted);
  call.writes_object(old);
  const heddle::abi::SignalAction before = e->signals().action(signal);
  if (wanted != nullptr) {
    set_signal_action(*e, signal,
                      {reinterpret_cast<heddle::abi::SignalHandler>(wanted->sa_sigaction), wanted->sa_flags,
                       heddle::abi::to_set(wanted->sa_mask)});
  }
  if (old != nullptr) {
    *old = {};
    old->sa_sigaction = before.handler;
    old->sa_flags = before.flags;
    heddle::abi::from_set(before.mask, &old->sa_mask);
  }
  return 0;
}

#define HEDDLE_SIMPLE_SIGNAL(name, flags)                                                             \
  HEDDLE_EXPORT sighandler_t name(int number, sighandler_t handler) noexcept {                        \
    auto* e = engine();                                                                               \
    if (e != nullptr) return heddle::abi::simple_action(*e, number, handler, flags);                  \
    if (heddle::abi::recorder().is_on()) return heddle::abi::recorded_signal(number, handler, flags); \
    using Real = sighandler_t(int, sighandler_t);                                                     \
    static Real* real = heddle::abi::next_function<Real>(#name);                                      \
    return real(number, handler);                                                                     \
  }
HEDDLE_SIMPLE_SIGNAL(signal, SA_RESTART)
HEDDLE_SIMPLE_SIGNAL(bsd_signal, SA_RESTART)
HEDDLE_SIMPLE_SIGNAL(ssignal, SA_RESTART)
HEDDLE_SIMPLE_SIGNAL(sysv_signal, SA_RESETHAND | SA_NODEFER)
HEDDLE_SIMPLE_SIGNAL(__sysv_signal, SA_RESETHAND | SA_NODEFER)

HEDDLE_EXPORT int siginterrupt(int signal, int interrupt) noexcept {
  auto* e = engine();
  if (e == nullptr) {
    using Real = int(int, int);
    static Real* real = heddle::abi::next_function<Real>("siginterrupt");
    return real(signal, interrupt);
  }
  if (!valid_signal(signal)) return heddle::abi::as_result(EINVAL);
  heddle::abi::SignalAction action = e->signals().action(signal);
  action.flags = interrupt != 0 ? action.flags & ~SA_RESTART : action.flags | SA_RESTART;
  set_signal_action(*e, signal, action);
  return 0;
}

HEDDLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_sigmask)(how, set, old);
  heddle::abi::let_others_run_now_and_then(*e, HEDDLE_CALLER_PC);
  heddle::abi::told_mask(HEDDLE_EXPORTED_CALL(pthread_sigmask), set, old);
  const heddle::abi::SignalSet before = e->self().signal_mask;
  if (old != nullptr) heddle::abi::from_set(before, old);
  if (set == nullptr) return 0;
  const heddle::abi::SignalSet given = heddle::abi::to_set(*set);
  switch (how) {
    case SIG_BLOCK:
      set_signal_mask(*e, before | given);
      return 0;
    case SIG_UNBLOCK:
      set_signal_mask(*e, before & ~given);
      return 0;
    case SIG_SETMASK:
      set_signal_mask(*e, given);
      return 0;
    default:
      return EINVAL;
  }
}
HEDDLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  heddle::abi::told_mask(HEDDLE_EXPORTED_CALL(sigprocmask), set, old);
  return heddle::abi::as_result(pthread_sigmask(how, set, old));
}
HEDDLE_EXPORT int sighold(int signal) noexcept {
  sigset_t set;
  sigemptyset(&set);
  return sigaddset(&set, signal) != 0 ? -1 : sigprocmask(SIG_BLOCK, &set, nullptr);
}
HEDDLE_EXPORT int sigrelse(int signal) noexcept {
  sigset_t set;
  sigemptyset(&set);
  return sigaddset(&set, signal) != 0 ? -1 : sigprocmask(SIG_UNBLOCK, &set, nullptr);
}
HEDDLE_EXPORT int sigignore(int number) noexcept { return signal(number, SIG_IGN) == SIG_ERR ? -1 : 0; }
HEDDLE_EXPORT int sigpending(sigset_t* set) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sigpending)(set);
  heddle::abi::from_set(pending_signals(*e), set);
  heddle::abi::told_mask(HEDDLE_EXPORTED_CALL(sigpending), nullptr, set);
  return 0;
}

HEDDLE_EXPORT int sigsuspend(const sigset_t* mask) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sigsuspend)(mask);
  const std::uint64_t pc = HEDDLE_CALLER_PC;
  return heddle::abi::cancellable(*e, [&] {
    suspend(*e, heddle::abi::to_set(*mask), pc);
    return heddle::abi::as_result(EINTR);
  });
}
HEDDLE_EXPORT int pause() {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pause)();
  const std::uint64_t pc = HEDDLE_CALLER_PC;
  return heddle::abi::cancellable(*e, [&] {
    suspend(*e, e->self().signal_mask, pc);
    return heddle::abi::as_result(EINTR);
  });
}

namespace heddle::abi {
namespace {

int told_signal(const ProgramCall& call, const siginfo_t* info, int signal) {
  if (signal > 0) call.writes_object(info);
  return signal;
}

// The signal; EAGAIN after the time, EINTR after a handler.
int wait_for_signal(Execution& e, const sigset_t* set, siginfo_t* info, const timespec* duration,
                    std::uint64_t pc) {
  const std::uint64_t deadline =
      duration == nullptr ? sched::kNoDeadline : e.scheduler().now() + nanoseconds(*duration);
  const int signal = cancellable(e, [&] { return await_signal(e, to_set(*set), deadline, info, pc); });
  if (signal > 0) return signal;
  errno = signal == 0 ? EAGAIN : EINTR;
  return -1;
}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* duration) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sigtimedwait)(set, info, duration);
  return heddle::abi::told_signal(HEDDLE_EXPORTED_CALL(sigtimedwait), info,
                                  heddle::abi::wait_for_signal(*e, set, info, duration, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sigwaitinfo)(set, info);
  return heddle::abi::told_signal(HEDDLE_EXPORTED_CALL(sigwaitinfo), info,
                                  heddle::abi::wait_for_signal(*e, set, info, nullptr, HEDDLE_CALLER_PC));
}
// sigwait does not return for a handler.
HEDDLE_EXPORT int sigwait(const sigset_t* set, int* result) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sigwait)(set, result);
  int signal = -1;
  const auto call = HEDDLE_EXPORTED_CALL(sigwait);
  heddle::abi::told_mask(call, set, nullptr);
  while (signal < 0) signal = heddle::abi::wait_for_signal(*e, set, nullptr, nullptr, HEDDLE_CALLER_PC);
  *result = signal;
  call.writes_object(result);
  return 0;
}

HEDDLE_EXPORT int raise(int signal) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(raise)(signal);
  return heddle::abi::as_result(heddle::abi::send_to_thread(*e, e->self(), signal, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int kill(pid_t pid, int signal) noexcept {
  auto* e = engine();
  if (e != nullptr && (pid == heddle::abi::kProgramPid || pid == 0)) {
    return heddle::abi::as_result(
        heddle::abi::send_to_process(*e, signal, heddle::abi::info_of(signal, SI_USER), HEDDLE_CALLER_PC));
  }
  if (e != nullptr && pid == -1) e->unsupported("kill(-1)", "Name the processes instead.");
  return HEDDLE_REAL(kill)(heddle::abi::real_pid(pid), signal);
}
HEDDLE_EXPORT int sigqueue(pid_t pid, int signal, sigval value) noexcept {
  auto* e = engine();
  if (e == nullptr || pid != heddle::abi::kProgramPid)
    return HEDDLE_REAL(sigqueue)(heddle::abi::real_pid(pid), signal, value);
  siginfo_t info = heddle::abi::info_of(signal, SI_QUEUE);
  info.si_value = value;
  return heddle::abi::as_result(heddle::abi::send_to_process(*e, signal, info, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int pthread_kill(pthread_t thread, int signal) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_kill)(thread, signal);
  heddle::sched::Thread* t = e->scheduler().find(thread);
  if (t == nullptr || t->joined) return ESRCH;
  // A thread that has ended and was not joined: POSIX lets the call succeed, and nothing happens.
  if (t->state == heddle::sched::ThreadState::kFinished)
    return valid_signal(signal) || signal == 0 ? 0 : EINVAL;
  return heddle::abi::send_to_thread(*e, *t, signal, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_sigqueue(pthread_t thread, int signal, sigval value) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_sigqueue)(thread, signal, value);
  heddle::sched::Thread* t = e->scheduler().find(thread);
  if (t == nullptr || t->state == heddle::sched::ThreadState::kFinished) return ESRCH;
  if (!valid_signal(signal)) return EINVAL;
  siginfo_t info = heddle::abi::info_of(signal, SI_QUEUE);
  info.si_value = value;
  return send_signal(*e, signal, t->id, info, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int tgkill(pid_t process, pid_t tid, int signal) {
  auto* e = engine();
  heddle::sched::Thread* t =
      e != nullptr && process == heddle::abi::kProgramPid ? heddle::abi::thread_of_tid(*e, tid) : nullptr;
  if (t == nullptr) return HEDDLE_REAL(tgkill)(heddle::abi::real_pid(process), tid, signal);
  return heddle::abi::as_result(heddle::abi::send_to_thread(*e, *t, signal, HEDDLE_CALLER_PC));
}

HEDDLE_EXPORT int sigaltstack(const stack_t* wanted, stack_t* old) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sigaltstack)(wanted, old);
  stack_t& kept = heddle::abi::alternate_stacks[heddle::index_of(e->self().id)];
  const stack_t before = kept;
  if (wanted != nullptr) {
    if ((wanted->ss_flags & ~SS_DISABLE) != 0) return heddle::abi::as_result(EINVAL);
    if ((wanted->ss_flags & SS_DISABLE) == 0 && wanted->ss_size < 2048) return heddle::abi::as_result(ENOMEM);
    kept = *wanted;
  }
  if (old != nullptr) {
    *old = before;
    if (before.ss_sp == nullptr) old->ss_flags = SS_DISABLE;
  }
  return 0;
}

HEDDLE_EXPORT int signalfd(int descriptor, const sigset_t* set, int flags) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(signalfd)(descriptor, set, flags);
  return heddle::abi::make_signal_descriptor(*e, descriptor, heddle::abi::to_set(*set), flags);
}

// A jump out of a handler: the thread is as it was before the handler. The mask that sigsetjmp kept is the
// kernel's, which is always empty.
#define HEDDLE_JUMP(name)                                        \
  HEDDLE_EXPORT void name(__jmp_buf_tag* target, int value) {    \
    using Real = void(__jmp_buf_tag*, int);                      \
    static Real* real = heddle::abi::next_function<Real>(#name); \
    if (auto* e = engine()) leave_handlers(*e);                  \
    real(target, value);                                         \
    __builtin_unreachable();                                     \
  }
HEDDLE_JUMP(longjmp)
HEDDLE_JUMP(_longjmp)
HEDDLE_JUMP(siglongjmp)
HEDDLE_JUMP(__longjmp_chk)
