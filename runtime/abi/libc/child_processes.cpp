// Processes that the program starts. A forked child is the program's own: it leaves the session and runs
// natively, with the one thread that forked; its end and its output reach the program as ever.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/abi/blocking_call.h"
#include "runtime/abi/heddle/recording.h"
#include "runtime/abi/heddle/symbolic_calls.h"
#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/process_ids.h"
#include "runtime/abi/pthread/named_semaphores.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/abi/pthread/thread_exit.h"
#include "runtime/engine/signals.h"
#include "runtime/session/session.h"

namespace heddle::abi {
namespace {

// In a native child, what the parent's id was to the kernel: the program knows it as kProgramPid.
pid_t real_parent = 0;

// --- pthread_atfork -------------------------------------------------------------------------------------
struct ForkHandlers {
  void (*prepare)();
  void (*parent)();
  void (*child)();
  void* module;  // its __dso_handle, which lies in it
  std::uint32_t serial;
};
constexpr std::uint32_t kMostHandlers = 1u << 16;
struct ForkHandlerTable {
  alignas(kPageSize) ForkHandlers entry[kMostHandlers] = {};  // pages are touched as they are used
  std::uint32_t count = 0;
  std::uint32_t serials = 0;  // that were given out
};
constinit ForkHandlerTable fork_handlers;  // libraries register before our constructors run

// A handler may register more, whose turn has not come, or unload a module, whose handlers are then gone. So
// the next one is looked for anew each time.
const ForkHandlers* next_fork_handlers(std::uint32_t begin, std::uint32_t end, bool newest) {
  const ForkHandlers* found = nullptr;
  for (std::uint32_t i = 0; i < fork_handlers.count; ++i) {  // in the order of their serials
    const ForkHandlers& h = fork_handlers.entry[i];
    if (h.serial < begin || h.serial >= end) continue;
    found = &h;
    if (!newest) break;
  }
  return found;
}

void run_prepare_handlers() {
  for (std::uint32_t end = fork_handlers.serials; end != 0;) {
    const ForkHandlers* h = next_fork_handlers(0, end, true);
    if (h == nullptr) return;
    end = h->serial;
    if (h->prepare != nullptr) h->prepare();
  }
}

// Runs the parent or child handlers of those whose prepare handlers were run.
void run_fork_handlers(void (*ForkHandlers::*which)(), std::uint32_t end) {
  for (std::uint32_t begin = 0;;) {
    const ForkHandlers* h = next_fork_handlers(begin, end, false);
    if (h == nullptr) return;
    begin = h->serial + 1;
    if (h->*which != nullptr) (h->*which)();
  }
}

// As libc does it: the handlers of a module go with it.
void drop_fork_handlers_of_unloaded() {
  engine::RuntimeScope scope;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < fork_handlers.count; ++i) {
    const ForkHandlers h = fork_handlers.entry[i];
    Dl_info module;
    if (h.module == nullptr || dladdr(h.module, &module) != 0) fork_handlers.entry[kept++] = h;
  }
  fork_handlers.count = kept;
}

// The kernel's numbers of processes differ from time to time: they are no part of an execution.
void note_process(Execution& e, const char* name, long result, std::uint64_t pc) {
  e.done(EventKind::kBlockingCall, result > 0 ? 1 : 0);
  e.note_call(name, -1, result > 0 ? 1 : result, pc);
}

void become_native(Execution& e, long parent) {
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (raw_syscall(SYS_getppid) != parent) raw_syscall(SYS_exit_group, 0);
  real_parent = static_cast<pid_t>(parent);
  hand_keys_to_libc(e);
  hand_mutexes_to_libc(e);
  hand_rwlocks_to_libc(e);
  hand_semaphores_to_libc(e);
  hand_barriers_to_libc(e);
  hand_conditions_to_libc(e);
  hand_signals_to_kernel(e);
  current = nullptr;
  end_symbolic_trace();
  session::leave_engine();
}

pid_t fork_natively(Execution& e, std::uint64_t pc) {
  e.leave_prefix();
  e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
  const std::uint32_t handlers = fork_handlers.serials;
  run_prepare_handlers();
  share_named_semaphores(e);
  const long parent = raw_syscall(SYS_getpid);
  pid_t pid = -1;
  {
    engine::RuntimeScope scope;
    pid = HEDDLE_REAL(fork)();
  }
  if (pid == 0) {
    become_native(e, parent);
    run_fork_handlers(&ForkHandlers::child, handlers);
    return 0;
  }
  run_fork_handlers(&ForkHandlers::parent, handlers);
  note_process(e, "fork", pid, pc);
  if (pid > 0) e.child_started();
  return pid;
}

// --- clone ------------------------------------------------------------------------------------------------
struct CloneCall {
  int (*function)(void*);
  void* argument;
  Execution* e;
  long parent;
};

int run_clone(void* argument) {
  const CloneCall call = *static_cast<CloneCall*>(argument);
  become_native(*call.e, call.parent);
  return call.function(call.argument);
}

// --- waiting ----------------------------------------------------------------------------------------------
struct ChildWait {
  idtype_t type;
  id_t id;
  int options;
};

idtype_t type_of(pid_t pid) { return pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID; }

bool child_has_changed(const sched::BlockingCall& call) {
  const auto& wait = *reinterpret_cast<const ChildWait*>(call.argument);
  siginfo_t info{};
  const long result = raw_syscall(SYS_waitid, wait.type, wait.id, &info, wait.options | WNOHANG | WNOWAIT, 0);
  return result < 0 || info.si_pid != 0;
}

// A program that asks again and again whether a child has ended (WNOHANG) is told "not yet" a few times, as
// could always be; then the child gets real time to end. A handler of SIGCHLD makes that unnecessary: whoever
// has one asks when he knows. Waits that were in vain make the next ones rarer.
struct Patience {
  std::uint32_t answers_left = 2;
  std::uint32_t answers = 2;
};
Patience patience;

bool answer_not_yet(Execution& e, const ChildWait& wait) {
  const sched::BlockingCall call{"", -1, nullptr, 0, nullptr, reinterpret_cast<long>(&wait)};
  const sched::SignalAction& action = e.signals().action(SIGCHLD);
  siginfo_t info{};
  if (!action.is_default() || e.self().signal_mask != 0 ||
      raw_syscall(SYS_waitid, wait.type, wait.id, &info, wait.options | WNOHANG | WNOWAIT, 0) < 0) {
    return false;
  }
  if (patience.answers_left-- != 0) return true;
  for (int milliseconds = 0; milliseconds < 1000 && !child_has_changed(call); ++milliseconds) {
    timespec pause{0, 1'000'000};
    raw_syscall(SYS_nanosleep, &pause, 0);
  }
  const bool in_vain = !child_has_changed(call);
  patience.answers = in_vain ? patience.answers * 4 : 2;
  patience.answers_left = patience.answers;
  return in_vain;
}

// Parks the thread until the child has changed: `call` then answers at once.
template <typename Call>
long wait_for_child(Execution& e, const char* name, ChildWait wait, bool nonblocking, std::uint64_t pc,
                    Call call) {
  return cancellable(e, [&]() -> long {
    e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
    long result = 0;
    for (;;) {
      if (!nonblocking) {
        siginfo_t info{};
        const bool none =
            raw_syscall(SYS_waitid, wait.type, wait.id, &info, wait.options | WNOHANG | WNOWAIT, 0) < 0;
        sched::BlockingCall waiting{name, -1, nullptr, 0, child_has_changed, reinterpret_cast<long>(&wait),
                                    true};
        if (!none && e.await_outside(waiting, sched::kNoDeadline) == Awaited::kInterrupted) {
          result = -EINTR;
          break;
        }
      }
      result = nonblocking && answer_not_yet(e, wait) ? 0 : call();
      if (nonblocking || result != 0) break;
    }
    if (result != 0) e.changed();
    if (result > 0) e.child_reaped();
    note_process(e, name, result, pc);
    return result;
  });
}

pid_t wait_for(Execution& e, const char* name, pid_t pid, int* status, int options, rusage* usage,
               std::uint64_t pc) {
  const ChildWait wait{type_of(pid),
                       static_cast<id_t>(pid == -1 || pid == 0 ? 0
                                         : pid > 0             ? pid
                                                               : -pid),
                       WEXITED | (options & WUNTRACED) | (options & WCONTINUED)};
  return libc_result<pid_t>(wait_for_child(e, name, wait, (options & WNOHANG) != 0, pc, [&] {
    return raw_syscall(SYS_wait4, pid, status, options | WNOHANG, usage);
  }));
}

// system(): as POSIX describes it, except that the shell is waited for by the calling thread alone.
int run_shell(Execution& e, const char* command, std::uint64_t pc) {
  if (command == nullptr) return 1;
  const char* arguments[] = {"sh", "-c", command, nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, "/bin/sh", nullptr, nullptr, const_cast<char* const*>(arguments), environ);
  int status = 127 << 8;
  if (error != 0) return status;
  while (wait_for(e, "system", pid, &status, 0, nullptr, pc) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

}  // namespace

pid_t real_pid(pid_t pid) {
  if (pid != kProgramPid) return pid;
  return current != nullptr ? static_cast<pid_t>(raw_syscall(SYS_getpid))
         : real_parent != 0 ? real_parent
                            : pid;
}

}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::libc_result;

HEDDLE_EXPORT pid_t getpid() noexcept {
  return engine() != nullptr ? heddle::abi::kProgramPid : static_cast<pid_t>(heddle::raw_syscall(SYS_getpid));
}
HEDDLE_EXPORT pid_t getppid() noexcept {
  if (engine() != nullptr) return heddle::abi::kProgramPid - 1;
  const auto parent = static_cast<pid_t>(heddle::raw_syscall(SYS_getppid));
  return heddle::abi::real_parent != 0 && parent == heddle::abi::real_parent ? heddle::abi::kProgramPid
                                                                             : parent;
}
HEDDLE_EXPORT pid_t gettid() noexcept {
  auto* e = engine();
  if (e == nullptr) return static_cast<pid_t>(heddle::raw_syscall(SYS_gettid));
  return heddle::abi::kProgramPid + static_cast<pid_t>(heddle::index_of(e->self().id));
}

HEDDLE_EXPORT int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* module) {
  if (!heddle::abi::in_session()) {
    using Real = int(void (*)(), void (*)(), void (*)(), void*);
    static Real* real = heddle::abi::next_function<Real>("__register_atfork");
    return real(prepare, parent, child, module);
  }
  if (auto* e = engine()) heddle::abi::let_others_run_now_and_then(*e, HEDDLE_CALLER_PC);
  if (heddle::abi::fork_handlers.count == heddle::abi::kMostHandlers) return ENOMEM;
  heddle::abi::fork_handlers.entry[heddle::abi::fork_handlers.count++] = {
      prepare, parent, child, module, heddle::abi::fork_handlers.serials++};
  return 0;
}

HEDDLE_EXPORT int dlclose(void* module) noexcept {
  const int result = HEDDLE_REAL(dlclose)(module);
  if (heddle::abi::fork_handlers.count != 0) heddle::abi::drop_fork_handlers_of_unloaded();
  return result;
}

HEDDLE_EXPORT pid_t fork() noexcept {
  auto* e = engine();
  if (e != nullptr) return heddle::abi::fork_natively(*e, HEDDLE_CALLER_PC);
  // A child of the program that forks in its turn: the handlers are still with us.
  const std::uint32_t handlers = heddle::abi::fork_handlers.serials;
  heddle::abi::run_prepare_handlers();
  const pid_t pid = HEDDLE_REAL(fork)();
  if (pid == 0) heddle::abi::stop_recording_in_child();
  heddle::abi::run_fork_handlers(
      pid == 0 ? &heddle::abi::ForkHandlers::child : &heddle::abi::ForkHandlers::parent, handlers);
  return pid;
}
// POSIX once allowed vfork to be fork, and programs that keep to its rules cannot tell.
HEDDLE_EXPORT pid_t vfork() noexcept { return fork(); }

HEDDLE_EXPORT int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
  va_list list;
  va_start(list, argument);
  auto* parent_tid = va_arg(list, pid_t*);
  auto* tls = va_arg(list, void*);
  auto* child_tid = va_arg(list, pid_t*);
  va_end(list);
  using Real = int(int (*)(void*), void*, int, void*, ...);
  static Real* real = heddle::abi::next_function<Real>("clone");
  auto* e = engine();
  if (e == nullptr) return real(function, stack, flags, argument, parent_tid, tls, child_tid);
  if ((flags & (CLONE_THREAD | CLONE_SIGHAND)) != 0) {
    e->unsupported("clone() of a thread", "Create threads with pthread_create or std::thread.");
  }
  if ((flags & CLONE_VM) != 0 && (flags & CLONE_VFORK) == 0) {
    e->unsupported("clone() of a process that shares memory (CLONE_VM)", "Use fork, or threads.");
  }
  e->leave_prefix();
  // A child that shares memory until it executes another program gets a copy instead: it cannot tell.
  heddle::abi::CloneCall call{function, argument, e, heddle::raw_syscall(SYS_getpid)};
  e->child_started();
  return real(heddle::abi::run_clone, stack, flags & ~(CLONE_VM | CLONE_VFORK), &call, parent_tid, tls,
              child_tid);
}

HEDDLE_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]) {
  if (auto* e = engine()) {
    e->leave_prefix();
    e->child_started();
    heddle::session::touches_outside("another program");
  }
  heddle::engine::RuntimeScope scope;
  return HEDDLE_REAL(posix_spawn)(pid, path, actions, attributes, argv, envp);
}
HEDDLE_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const argv[], char* const envp[]) {
  if (auto* e = engine()) {
    e->leave_prefix();
    e->child_started();
    heddle::session::touches_outside("another program");
  }
  heddle::engine::RuntimeScope scope;
  return HEDDLE_REAL(posix_spawnp)(pid, file, actions, attributes, argv, envp);
}
HEDDLE_EXPORT FILE* popen(const char* command, const char* mode) {
  if (auto* e = engine()) {
    e->leave_prefix();
    e->child_started();
    heddle::session::touches_outside("another program");
  }
  HEDDLE_EXPORTED_CALL(popen).reads_text(command);
  return HEDDLE_REAL(popen)(command, mode);
}
HEDDLE_EXPORT int pclose(FILE* stream) {
  if (auto* e = engine()) e->child_reaped();
  HEDDLE_EXPORTED_CALL(pclose).ends_stream(stream);
  return HEDDLE_REAL(pclose)(stream);
}
HEDDLE_EXPORT int system(const char* command) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(system)(command);
  HEDDLE_EXPORTED_CALL(system).reads_text(command);
  return heddle::abi::run_shell(*e, command, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int daemon(int stay, int keep_open) noexcept {
  if (auto* e = engine()) {
    e->unsupported("daemon()", "Let the program stay in the foreground under test.");
  }
  return HEDDLE_REAL(daemon)(stay, keep_open);
}

namespace heddle::abi {
namespace {

// What a wait has told of a child that was found.
pid_t told_status(const ProgramCall& call, const int* status, const rusage* usage, pid_t found) {
  if (found <= 0) return found;
  call.writes_object(status);
  call.writes_object(usage);
  return found;
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::told_status;

HEDDLE_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(waitpid)(pid, status, options);
  return told_status(HEDDLE_EXPORTED_CALL(waitpid), status, nullptr,
                     heddle::abi::wait_for(*e, "waitpid", pid, status, options, nullptr, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT pid_t wait(int* status) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(wait)(status);
  return told_status(HEDDLE_EXPORTED_CALL(wait), status, nullptr,
                     heddle::abi::wait_for(*e, "wait", -1, status, 0, nullptr, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT pid_t wait3(int* status, int options, rusage* usage) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(wait3)(status, options, usage);
  return told_status(HEDDLE_EXPORTED_CALL(wait3), status, usage,
                     heddle::abi::wait_for(*e, "wait3", -1, status, options, usage, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(wait4)(pid, status, options, usage);
  return told_status(HEDDLE_EXPORTED_CALL(wait4), status, usage,
                     heddle::abi::wait_for(*e, "wait4", pid, status, options, usage, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(waitid)(type, id, info, options);
  siginfo_t own{};
  siginfo_t* result = info != nullptr ? info : &own;
  const heddle::abi::ChildWait wait{type, id, options & ~(WNOHANG | WNOWAIT)};
  const long outcome = heddle::abi::wait_for_child(
      *e, "waitid", wait, (options & WNOHANG) != 0, HEDDLE_CALLER_PC, [&]() -> long {
        const long error = heddle::raw_syscall(SYS_waitid, type, id, result, options | WNOHANG, 0);
        return error < 0 ? error : result->si_pid;
      });
  if (outcome >= 0) HEDDLE_EXPORTED_CALL(waitid).writes_object(info);
  return libc_result<int>(outcome < 0 ? outcome : 0);
}
