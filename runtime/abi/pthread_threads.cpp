// pthread_create and what concerns a thread as a whole.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <unwind.h>

#include "runtime/abi/pthread_objects.h"
#include "runtime/abi/thread_exit.h"

namespace heddle::abi {
namespace {

struct StartCall {
  void* (*start)(void*);
  void* argument;
};

// The bottom of every thread's program frames: a forced unwind stops here.
void* run_thread(void* argument) {
  const StartCall call = *static_cast<StartCall*>(argument);
  {
    engine::RuntimeScope scope;
    free(argument);
  }
  exit_thread(*current, call.start(call.argument));
}

// pthread_exit runs the destructors of the frames that it leaves, as libc's does by a forced unwind.
struct ForcedExit {
  _Unwind_Exception exception;
  void* result;
};

_Unwind_Reason_Code at_frame(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception* exception,
                             _Unwind_Context*, void*) {
  if ((actions & _UA_END_OF_STACK) != 0) {
    exit_thread(*current, reinterpret_cast<ForcedExit*>(exception)->result);
  }
  return _URC_NO_REASON;
}

using ForcedUnwind = _Unwind_Reason_Code(_Unwind_Exception*, _Unwind_Stop_Fn, void*);

ForcedUnwind* forced_unwind() {
  engine::RuntimeScope scope;
  void* symbol = dlsym(RTLD_DEFAULT, "_Unwind_ForcedUnwind");
  if (symbol == nullptr) {
    void* library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL);
    symbol = library != nullptr ? dlsym(library, "_Unwind_ForcedUnwind") : nullptr;
  }
  return reinterpret_cast<ForcedUnwind*>(symbol);
}

// One per thread suffices: a thread exits once.
ForcedExit& forced_exit_of(engine::Execution& e) {
  static ForcedExit exits[kMaxThreads];
  return exits[index_of(e.self().id)];
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::current;
using heddle::abi::engine;

HEDDLE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                                 void* argument) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_create)(thread, attributes, start, argument);
  std::size_t stack_bytes = heddle::sched::kDefaultStackBytes;
  int detach_state = PTHREAD_CREATE_JOINABLE;
  heddle::abi::StartCall* call = nullptr;
  {
    heddle::engine::RuntimeScope scope;
    if (attributes != nullptr) {
      pthread_attr_getstacksize(attributes, &stack_bytes);
      pthread_attr_getdetachstate(attributes, &detach_state);
    }
    call = static_cast<heddle::abi::StartCall*>(malloc(sizeof(heddle::abi::StartCall)));
  }
  if (call == nullptr) return EAGAIN;
  *call = {start, argument};
  heddle::sched::Thread* t = e->create_thread(heddle::abi::run_thread, call, stack_bytes,
                                              detach_state == PTHREAD_CREATE_DETACHED, HEDDLE_CALLER_PC);
  if (t == nullptr) return EAGAIN;
  t->last_pc = reinterpret_cast<std::uint64_t>(start) + 1;
  t->pending.pc = t->last_pc;
  *thread = static_cast<pthread_t>(e->scheduler().handle_of(*t));
  return 0;
}

HEDDLE_EXPORT int pthread_join(pthread_t thread, void** result) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_join)(thread, result);
  return e->join_thread(thread, result, heddle::sched::kNoDeadline, false, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_tryjoin_np)(thread, result);
  return e->join_thread(thread, result, heddle::sched::kNoDeadline, true, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_timedjoin_np)(thread, result, time);
  return e->join_thread(thread, result, heddle::abi::deadline_of(*time, CLOCK_REALTIME), false, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_clockjoin_np)(thread, result, clock, time);
  return e->join_thread(thread, result, heddle::abi::deadline_of(*time, clock), false, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_detach(pthread_t thread) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_detach)(thread);
  return e->detach_thread(thread, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void pthread_exit(void* result) {
  auto* e = engine();
  if (e == nullptr) {
    HEDDLE_REAL(pthread_exit)(result);
    __builtin_unreachable();
  }
  if (auto* unwind = heddle::abi::forced_unwind()) {
    heddle::abi::ForcedExit& forced = heddle::abi::forced_exit_of(*e);
    forced = {};
    forced.result = result;
    unwind(&forced.exception, heddle::abi::at_frame, nullptr);
  }
  heddle::abi::exit_thread(*current, result);
}

HEDDLE_EXPORT int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_setname_np)(thread, name);
  heddle::sched::Thread* t = e->scheduler().find(thread);
  if (t == nullptr) return ESRCH;
  if (strlen(name) >= sizeof t->name) return ERANGE;
  memcpy(t->name, name, strlen(name) + 1);
  return 0;
}

HEDDLE_EXPORT int pthread_getname_np(pthread_t thread, char* buffer, std::size_t size) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_getname_np)(thread, buffer, size);
  heddle::sched::Thread* t = e->scheduler().find(thread);
  if (t == nullptr) return ESRCH;
  if (size <= strlen(t->name)) return ERANGE;
  memcpy(buffer, t->name, strlen(t->name) + 1);
  return 0;
}

HEDDLE_EXPORT int sched_yield() noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sched_yield)();
  e->yield(HEDDLE_CALLER_PC);
  return 0;
}
