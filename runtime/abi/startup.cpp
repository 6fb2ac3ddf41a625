// The library's first moments: attaching to the tool, starting the engine, and main on a stack of our own.
#include <stdlib.h>

#include "core/base/pages.h"
#include "core/record/modes.h"
#include "runtime/abi/heddle/recording.h"
#include "runtime/abi/heddle/symbolic_calls.h"
#include "runtime/abi/libc/library_syscalls.h"
#include "runtime/abi/libc/process_ids.h"
#include "runtime/abi/libc/signal_descriptors.h"
#include "runtime/abi/pthread/cancellation.h"
#include "runtime/engine/callers.h"
#include "runtime/session/crash.h"
#include "runtime/session/session.h"

// What code of `--full` builds does; other modules have none that looks at it.
// NOLINTBEGIN(readability-identifier-naming): names of the ABI
HEDDLE_EXPORT std::uint32_t __heddle_mode;
std::uint32_t __heddle_mode = 0;
// NOLINTEND(readability-identifier-naming)

extern "C" void*
    __libc_stack_end;  // NOLINT(readability-identifier-naming): ld.so: points at argc on the initial stack

namespace heddle::abi {

engine::Execution* current = nullptr;

namespace {

constexpr std::size_t kMainStackBytes = address_map::kMainStackEnd - address_map::kMainStack;

enum class Phase { kUnknown, kNative, kSession };

// libc's environ is not set yet when the first malloc is called; the kernel's copy is.
char** initial_arguments() { return static_cast<char**>(__libc_stack_end) + 1; }
char** initial_environment() {
  auto** stack = static_cast<char**>(__libc_stack_end);
  const auto argc = reinterpret_cast<long>(stack[0]);
  return stack + 1 + argc + 1;
}

using MainFunction = int (*)(int, char**, char**);

struct MainCall {
  MainFunction main = nullptr;
  int argc = 0;
  char** argv = nullptr;
  char** environment = nullptr;
};

struct Startup {
  Phase phase = Phase::kUnknown;
  bool has_engine = false;  // or had one: a child that runs natively
  MainCall main_call;
};
Startup startup;

void run_main(void*) {
  const MainCall& call = startup.main_call;
  ::exit(call.main(call.argc, call.argv, call.environment));
}

// Replay needs main's locals at the same addresses whatever the environment's size: main runs on a fiber,
// too.
int main_on_fiber(int argc, char** argv, char** environment) {
  engine::Execution* e = current;
  startup.main_call = {startup.main_call.main, argc, argv, environment};
  if (e == nullptr || map_pages_at(address_map::kMainStack, kMainStackBytes) == nullptr) {
    const int status = startup.main_call.main(argc, argv, environment);
    recorder().exits(status);
    return status;
  }
  raw_syscall(SYS_mprotect, address_map::kMainStack, kPageSize, PROT_NONE);
  e->channel().header()->main_stack_address = address_map::kMainStack;
  sched::Thread& main_thread = e->self();
  sched::Fiber kernel_stack;  // never resumed
  sched::prepare_fiber(main_thread.fiber,
                       reinterpret_cast<void*>(address_map::kMainStack + kMainStackBytes - 2048),
                       main_thread.fiber.fs_base, run_main, nullptr);
  sched::switch_fiber(kernel_stack, main_thread.fiber);
  __builtin_unreachable();
}

}  // namespace

void ensure_started() {
  if (startup.phase != Phase::kUnknown) return;
  startup.phase = Phase::kNative;  // calls made while attaching are served natively
  if (session::attach(initial_environment())) {
    HEDDLE_CHECK(engine::program_heap().start());
    startup.phase = Phase::kSession;
    __heddle_mode = static_cast<std::uint32_t>(record::Mode::kEngine);
  }
}

std::size_t main_stack_bytes() { return kMainStackBytes; }

bool is_before_engine() { return in_session() && !startup.has_engine; }

bool in_session() {
  ensure_started();
  return startup.phase == Phase::kSession;
}

namespace {

// Runs when libc is ready and before the constructors of the program and of most libraries.
__attribute__((constructor(101))) void start_engine() {
  if (!in_session()) {
    __heddle_mode = static_cast<std::uint32_t>(start_recording(initial_arguments(), initial_environment()));
    return;
  }
  if (current != nullptr) return;
  prepare_process_functions();
  prepare_memory_functions();
  prepare_string_functions();
  engine::Execution* execution = session::start();
  engine::find_callers();
  execution->note_trusted_libraries();
  current = execution;
  startup.has_engine = true;
  answer_library_syscalls();
  current->set_program_hooks(
      {cancel_running_thread, session::is_crash_signal, divert_to_descriptor, note_failure});
  start_symbolic_trace();
}

// Runs after the destructors of the program, and of the libraries that were loaded with it.
__attribute__((destructor(101))) void end_engine() {
  if (current != nullptr) session::program_ended();
  recorder().finish();
}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT int __libc_start_main(heddle::abi::MainFunction main, int argc, char** argv, void (*init)(),
                                    void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using Start = int(heddle::abi::MainFunction, int, char**, void (*)(), void (*)(), void (*)(), void*);
  static Start* real = heddle::abi::next_function<Start>("__libc_start_main");
  heddle::abi::startup.main_call.main = main;
  return real(heddle::abi::main_on_fiber, argc, argv, init, fini, rtld_fini, stack_end);
}
