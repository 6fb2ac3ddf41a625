// The ends of a program: exit, abort, failed assertions.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <unwind.h>

#include <typeinfo>

#include "core/base/text_buffer.h"
#include "core/trace/event.h"
#include "runtime/abi/heddle/recording.h"
#include "runtime/abi/heddle/symbolic_calls.h"
#include "runtime/abi/libc/process_ids.h"
#include "runtime/abi/pthread/thread_exit.h"
#include "runtime/engine/signals.h"
#include "runtime/record/identity.h"
#include "runtime/session/session.h"

namespace heddle::abi {
namespace {

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

_Unwind_Reason_Code stop_in_program(_Unwind_Context* context, void* found) {
  const std::uint64_t call = _Unwind_GetIP(context) - 1;
  if (!record::is_in_full_module(call)) return _URC_NO_REASON;
  *static_cast<std::uint64_t*>(found) = call;
  return _URC_END_OF_STACK;
}

// The innermost call on the stack that is in the program itself, and not in the C++ runtime. 0: there is none.
std::uint64_t innermost_of_program() {
  std::uint64_t found = 0;
  if (recorder().is_on()) _Unwind_Backtrace(stop_in_program, &found);
  return found;
}

}  // namespace

const char* program_short_name() {
  static char name[16] = {};
  const char* path = program_invocation_short_name;
  const std::size_t length = strlen(path) < sizeof name - 1 ? strlen(path) : sizeof name - 1;
  memcpy(name, path, length);  // NOLINT(bugprone-not-null-terminated-result): `name` is zeroed and longer
  return name;
}

void prepare_process_functions() {
  if (libc_exit == nullptr) libc_exit = next_function<ExitFunction>("exit");
}

}  // namespace heddle::abi

using heddle::FindingKind;
using heddle::abi::engine;

HEDDLE_EXPORT void exit(int status) noexcept {
  if (auto* e = engine()) {
    report_unhandled_fault(*e);
    heddle::abi::note_exit(status);
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
  heddle::abi::recorder().exits(status);
  heddle::abi::prepare_process_functions();
  heddle::abi::libc_exit(status);
  __builtin_unreachable();
}

// Nothing of the program runs after this one.
HEDDLE_EXPORT void _exit(int status) {
  if (auto* e = engine()) {
    report_unhandled_fault(*e);
    e->finish(heddle::Ending::kExited, status & 0xff);
  }
  heddle::abi::recorder().exits(status);
  heddle::abi::recorder().finish();
  for (;;) heddle::raw_syscall(SYS_exit_group, status);
}
HEDDLE_EXPORT void _Exit(int status) noexcept { _exit(status); }

HEDDLE_EXPORT void abort() noexcept {
  if (auto* e = engine()) {
    report_unhandled_fault(*e);
    // The program's own handler goes first; where it returns, abort ends the program all the same.
    if (const auto& action = e->signals().action(SIGABRT); !action.is_default() && !action.is_ignored()) {
      e->self().signal_mask &= ~heddle::sched::set_of(SIGABRT);
      raise(SIGABRT);
    }
    heddle::TextBuffer<512> text;
    if (const char* exception = heddle::abi::uncaught_exception_type(text)) {
      e->fatal(FindingKind::kUncaughtException, exception, HEDDLE_CALLER_PC, SIGABRT);
    }
    if (heddle::abi::terminating) {
      e->fatal(FindingKind::kTerminate, "std::terminate was called", HEDDLE_CALLER_PC, SIGABRT);
    }
    e->fatal(FindingKind::kAbort, "abort was called", HEDDLE_CALLER_PC, SIGABRT);
  }
  heddle::abi::recorder().aborts(heddle::abi::innermost_of_program(), heddle::abi::recorded_thread().number);
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
    heddle::abi::recorder().asserts(expression, file, line, function, heddle::abi::recorded_thread().number);
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
  report_unhandled_fault(*e);
  heddle::TextBuffer<512> message;
  message << "Assertion `" << expression << "' failed";
  e->fatal(FindingKind::kAssertion, message.c_str(), HEDDLE_CALLER_PC, SIGABRT);
}
