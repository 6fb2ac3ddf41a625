// The recorder's side of interposed functions, and the calls of bodies for recording (__heddle_path_*).
#include "runtime/abi/heddle/recording.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

#include "runtime/abi/engine_access.h"
#include "runtime/abi/heddle/element_recording.h"
#include "runtime/record/element_recorder.h"

// The running thread's state, as compiled code and path_flush.S look at it. In the initial block of
// thread-local memory: this library is loaded with the program. NOLINTBEGIN(readability-identifier-naming):
// names of the ABI
extern "C" {
__attribute__((visibility("default"),
               tls_model("initial-exec"))) extern __thread heddle::record::PathState* __heddle_path;
__thread heddle::record::PathState* __heddle_path = &heddle::record::nowhere;
__attribute__((visibility("default"))) extern std::uint32_t __heddle_mode;  // startup.cpp
}
// NOLINTEND(readability-identifier-naming)

namespace heddle::abi {
namespace {

using record::Mode;
using record::PathState;
using record::ThreadIdentity;

constinit record::Recorder the_recorder;
__attribute__((tls_model("initial-exec"))) __thread ThreadIdentity identity;

bool records_paths() { return the_recorder.mode() == Mode::kPath; }
bool records_elements() { return the_recorder.mode() == Mode::kElements; }

// --- threads
struct RecordedStart {
  void* (*start)(void*);
  void* argument;
  ThreadIdentity who;
  ThreadIdentity* parent;
};

// Destructors of thread-local objects come before those of keys, and those in rounds: after the last one
// nothing of the program is left in the thread.
struct EndKey {
  pthread_key_t key = 0;
  bool is_made = false;
};
EndKey end_key;

void end_in_last_round(void* rounds) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds) - 1;
  // (In a child process the log is the parent's.)
  if (!records_elements()) return;
  if (left == 0) return record::end_element_thread();
  HEDDLE_REAL(pthread_setspecific)(end_key.key, reinterpret_cast<void*>(left));
}

void* run_recorded(void* argument) {
  const RecordedStart call = *static_cast<RecordedStart*>(argument);
  free(argument);
  identity = call.who;
  if (records_paths()) __heddle_path = the_recorder.paths().new_thread(identity);
  if (!records_elements()) return call.start(call.argument);
  begin_element_thread();
  if (end_key.is_made)
    HEDDLE_REAL(pthread_setspecific)(end_key.key, reinterpret_cast<void*>(PTHREAD_DESTRUCTOR_ITERATIONS));
  return call.start(call.argument);
}

// --- signals
struct sigaction wanted_actions[_NSIG];

using Handler = void(int, siginfo_t*, void*);

bool is_function(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && action.sa_handler != SIG_ERR;
}

// What the handler does is a stream of its own; the interrupted code finds its own as it was.
void run_recorded_handler(int signal, siginfo_t* info, void* context) {
  PathState* interrupted = __heddle_path;
  if (records_paths()) __heddle_path = the_recorder.paths().signal_stream(interrupted, signal);
  auto* handler = wanted_actions[signal].sa_sigaction;
  handler(signal, info, context);
  __heddle_path = interrupted;
}

// A crash that the program does not handle: noted, and then what would have happened anyway.
void note_crash(int signal, siginfo_t*, void* context) {
  const auto* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  the_recorder.crashes(signal, static_cast<std::uint64_t>(registers[REG_RIP]), identity.number);
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
}

void watch_crashes() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction before{};
    HEDDLE_REAL(sigaction)(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action{};
    action.sa_sigaction = note_crash;
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
    HEDDLE_REAL(sigaction)(signal, &action, nullptr);
  }
}

}  // namespace

record::Recorder& recorder() { return the_recorder; }
ThreadIdentity& recorded_thread() { return identity; }

Mode start_recording(const char* const* arguments, const char* const* environment) {
  const Mode mode = the_recorder.start(arguments, environment);
  if (mode == Mode::kNative) return mode;
  if (mode == Mode::kPath) __heddle_path = the_recorder.paths().new_thread(identity);
  if (mode == Mode::kElements) {
    start_element_recording();
    end_key.is_made = HEDDLE_REAL(pthread_key_create)(&end_key.key, end_in_last_round) == 0;
  }
  watch_crashes();
  return mode;
}

void wrap_recorded_start(void* (*&start)(void*), void*& argument) {
  if (!the_recorder.is_on()) return;
  auto* call = static_cast<RecordedStart*>(malloc(sizeof(RecordedStart)));
  if (call == nullptr) return;
  *call = {start, argument, the_recorder.next_child(identity), &identity};
  start = run_recorded;
  argument = call;
}

void drop_recorded_start(void* argument) {
  if (!the_recorder.is_on()) return;
  --identity.children;
  free(argument);
}

int recorded_sigaction(int signal, const struct sigaction* wanted, struct sigaction* old) {
  if (!the_recorder.is_on() || signal <= 0 || signal >= _NSIG)
    return HEDDLE_REAL(sigaction)(signal, wanted, old);
  struct sigaction installed{};
  const struct sigaction before_ours = wanted_actions[signal];
  if (wanted != nullptr) {
    installed = *wanted;
    if (is_function(installed)) {
      wanted_actions[signal] = *wanted;
      installed.sa_sigaction = run_recorded_handler;
      installed.sa_flags |= SA_SIGINFO;
    }
  }
  struct sigaction before{};
  const int result = HEDDLE_REAL(sigaction)(signal, wanted != nullptr ? &installed : nullptr, &before);
  if (result != 0) {
    wanted_actions[signal] = before_ours;
  } else if (old != nullptr) {
    *old = before;
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction == run_recorded_handler)
      *old = before_ours;
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction == note_crash) {
      *old = {};
      old->sa_handler = SIG_DFL;
    }
  }
  return result;
}

sighandler_t recorded_signal(int signal, sighandler_t handler, int flags) {
  struct sigaction wanted{};
  struct sigaction old{};
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  return recorded_sigaction(signal, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}

void stop_recording_in_child() {
  if (!the_recorder.is_on()) return;
  if (records_paths()) the_recorder.paths().abandon(__heddle_path);
  record::stop_element_recorder();
  the_recorder.leave_to_parent();
}

void refuse_module() {
  constexpr char kAdvice[] = "Build it again with `heddle c++ --full` of this version of heddle";
  if (engine::Execution* e = in_session() ? current : nullptr)
    e->unsupported("A module that was compiled by another version of heddle", kAdvice);
  if (!the_recorder.is_on() || __heddle_mode == static_cast<std::uint32_t>(Mode::kNative)) return;
  __heddle_mode = static_cast<std::uint32_t>(Mode::kNative);
  the_recorder.cut_off("a module was loaded that another version of heddle compiled", kAdvice);
}

}  // namespace heddle::abi

using namespace heddle::abi;  // NOLINT(google-build-using-namespace): the definitions below are nothing else
using heddle::record::PathState;

HEDDLE_EXPORT void __heddle_path_mark(PathState* state, std::uint64_t place, std::uint32_t kind) {
  // A jump or an exception may have left a signal handler.
  __heddle_path = state;
  state->called = 0;
  recorder().paths().mark(state, heddle::record::StepKind{static_cast<std::uint8_t>(kind)},
                          heddle::record::PlaceId{place});
}
HEDDLE_EXPORT void __heddle_path_entered(std::uint64_t key, const void* function, const void* body) {
  recorder().paths().entered(__heddle_path, heddle::record::FunctionKey{key}, function, body);
}
HEDDLE_EXPORT void __heddle_path_untaken() { recorder().paths().untaken(__heddle_path); }

extern "C" __attribute__((visibility("hidden"))) void heddle_path_next_chunk(PathState* state) {
  recorder().paths().next_chunk(state);
}
