// The ends of a program: exit, abort, failed assertions; and who it is: process ids, fork.
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <typeinfo>

#include "core/base/text_buffer.h"
#include "runtime/abi/thread_exit.h"
#include "runtime/session/session.h"

namespace heddle::abi {
namespace {

// Programs see the same process id in every execution; calls that take one translate it back.
constexpr pid_t kProgramPid = 4711;

// Looked up once, before the first choice: every execution needs it.
using ExitFunction = void(int);
ExitFunction* libc_exit = nullptr;

// std::terminate was called without an exception: abort, which follows, tells that instead.
bool terminating = false;

void write_error(const char* text) { raw_syscall(SYS_write, 2, text, strlen(text)); }

// What the C++ runtime would say of the exception that nobody caught; nullptr if there is none.
const char* uncaught_exception_type(TextBuffer<512>& text) {
  engine::RuntimeScope scope;
  using CurrentType = std::type_info*();
  using Demangle = char*(const char*, char*, std::size_t*, int*);
  auto* current_type = reinterpret_cast<CurrentType*>(dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  const std::type_info* type = current_type != nullptr ? current_type() : nullptr;
  if (type == nullptr) return nullptr;
  auto* demangle = reinterpret_cast<Demangle*>(dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  int status = 0;
  char* name = demangle != nullptr ? demangle(type->name(), nullptr, nullptr, &status) : nullptr;
  text << "exception of type " << (name != nullptr ? name : type->name()) << " was not caught";
  return text.c_str();
}

}  // namespace

void prepare_process_functions() {
  if (libc_exit == nullptr) libc_exit = next_function<ExitFunction>("exit");
}

}  // namespace heddle::abi

using heddle::FindingKind;
using heddle::abi::engine;

HEDDLE_EXPORT void exit(int status) noexcept {
  if (auto* e = engine()) {
    e->visible({heddle::EventKind::kExit, heddle::MemoryOrder::kRelaxed, 0, 0, HEDDLE_CALLER_PC});
    e->done(heddle::EventKind::kExit, static_cast<std::uint64_t>(status));
    if (heddle::Event* event = e->record(heddle::EventKind::kExit, HEDDLE_CALLER_PC)) {
      event->value = static_cast<std::uint64_t>(status);
    }
    heddle::session::program_exits(status);
    // [support.start.term]: thread-local objects of the calling thread go first.
    e->self().exiting = true;
    e->run_exit_handlers();
  }
  heddle::abi::prepare_process_functions();
  heddle::abi::libc_exit(status);
  __builtin_unreachable();
}

HEDDLE_EXPORT void abort() noexcept {
  if (auto* e = engine()) {
    heddle::TextBuffer<512> text;
    if (const char* exception = heddle::abi::uncaught_exception_type(text)) {
      e->fatal(FindingKind::kUncaughtException, exception, HEDDLE_CALLER_PC, SIGABRT);
    }
    if (heddle::abi::terminating) {
      e->fatal(FindingKind::kTerminate, "std::terminate was called", HEDDLE_CALLER_PC, SIGABRT);
    }
    e->fatal(FindingKind::kAbort, "abort was called", HEDDLE_CALLER_PC, SIGABRT);
  }
  HEDDLE_REAL(abort)();
  __builtin_unreachable();
}

// std::terminate, as compiled code calls it (a joinable thread destroyed, say).
HEDDLE_EXPORT void _ZSt9terminatev() {
  heddle::abi::terminating = engine() != nullptr;
  using Real = void();
  heddle::abi::next_function<Real>("_ZSt9terminatev")();
  __builtin_unreachable();
}

HEDDLE_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line,
                                 const char* function) noexcept {
  auto* e = engine();
  if (e == nullptr) {
    using Real = void(const char*, const char*, unsigned, const char*);
    heddle::abi::next_function<Real>("__assert_fail")(expression, file, line, function);
    __builtin_unreachable();
  }
  heddle::TextBuffer<1024> text;
  text << file << ':';
  text.unsigned_decimal(line) << ": " << (function != nullptr ? function : "?") << ": Assertion `"
                              << expression << "' failed.";
  heddle::abi::write_error(text.c_str());
  heddle::abi::write_error("\n");
  heddle::TextBuffer<512> message;
  message << "Assertion `" << expression << "' failed";
  e->fatal(FindingKind::kAssertion, message.c_str(), HEDDLE_CALLER_PC, SIGABRT);
}

HEDDLE_EXPORT pid_t getpid() noexcept {
  return engine() != nullptr ? heddle::abi::kProgramPid : static_cast<pid_t>(heddle::raw_syscall(SYS_getpid));
}
HEDDLE_EXPORT pid_t getppid() noexcept {
  return engine() != nullptr ? heddle::abi::kProgramPid - 1
                             : static_cast<pid_t>(heddle::raw_syscall(SYS_getppid));
}
HEDDLE_EXPORT pid_t gettid() noexcept {
  auto* e = engine();
  if (e == nullptr) return static_cast<pid_t>(heddle::raw_syscall(SYS_gettid));
  return heddle::abi::kProgramPid + static_cast<pid_t>(heddle::index_of(e->self().id));
}
HEDDLE_EXPORT int kill(pid_t pid, int signal) noexcept {
  if (engine() != nullptr && pid == heddle::abi::kProgramPid)
    pid = static_cast<pid_t>(heddle::raw_syscall(SYS_getpid));
  return HEDDLE_REAL(kill)(pid, signal);
}

// The child is the program's own: it leaves the session and runs natively, with the one thread that forked.
HEDDLE_EXPORT pid_t fork() noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(fork)();
  const long parent = heddle::raw_syscall(SYS_getpid);
  pid_t pid = -1;
  {
    heddle::engine::RuntimeScope scope;
    pid = HEDDLE_REAL(fork)();
  }
  if (pid == 0) {
    heddle::raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (heddle::raw_syscall(SYS_getppid) != parent) heddle::raw_syscall(SYS_exit_group, 0);
    heddle::abi::current = nullptr;
    heddle::session::leave_engine();
  }
  return pid;
}
