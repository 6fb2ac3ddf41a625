// pthread_create and what concerns a thread as a whole.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
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

// pthread_exit leaves the thread's frames as libc's does, by a forced unwind that runs the destructors of C++
// frames. C code compiled without exceptions registers its cleanup handlers as jump buffers instead
// (pthread_cleanup_push): on arriving in the frame of such a buffer the unwind jumps there, the handler runs,
// and __pthread_unwind_next goes on. The chain of buffers is kept in words that <pthread.h> reserves for the
// implementation.
struct ForcedExit {
  _Unwind_Exception exception;
  void* result;
  __pthread_unwind_buf_t* buffers;
};

// One per thread suffices: a thread exits once.
ForcedExit forced_exits[kMaxThreads];

ForcedExit& forced_exit_of(engine::Execution& e) { return forced_exits[index_of(e.self().id)]; }

void run_cleanup(ForcedExit& forced) {
  __pthread_unwind_buf_t* buffer = forced.buffers;
  forced.buffers = static_cast<__pthread_unwind_buf_t*>(buffer->__pad[0]);
  longjmp(reinterpret_cast<__jmp_buf_tag*>(buffer->__cancel_jmp_buf), 1);
}

_Unwind_Reason_Code at_frame(int, _Unwind_Action actions, _Unwind_Exception_Class,
                             _Unwind_Exception* exception, _Unwind_Context* context, void*) {
  auto& forced = *reinterpret_cast<ForcedExit*>(exception);
  if (forced.buffers != nullptr &&
      _Unwind_GetCFA(context) > reinterpret_cast<std::uint64_t>(forced.buffers)) {
    run_cleanup(forced);
  }
  if ((actions & _UA_END_OF_STACK) != 0) exit_thread(*current, forced.result);
  return _URC_NO_REASON;
}

[[noreturn]] void unwind_thread(ForcedExit& forced) {
  forced.exception = {};
  _Unwind_ForcedUnwind(&forced.exception, at_frame, nullptr);
  // Frames without unwind tables: what is left are the C handlers.
  if (forced.buffers != nullptr) run_cleanup(forced);
  exit_thread(*current, forced.result);
}

}  // namespace
}  // namespace heddle::abi

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
  return e->join_thread(thread, result, heddle::abi::deadline_of(*time, CLOCK_REALTIME), false,
                        HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                       const timespec* time) {
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
  heddle::abi::ForcedExit& forced = heddle::abi::forced_exit_of(*e);
  forced.result = result;
  heddle::abi::unwind_thread(forced);
}

HEDDLE_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  auto* e = engine();
  if (e == nullptr) {
    using Real = void(__pthread_unwind_buf_t*);
    static Real* real = heddle::abi::next_function<Real>("__pthread_register_cancel");
    return real(buffer);
  }
  heddle::abi::ForcedExit& forced = heddle::abi::forced_exit_of(*e);
  buffer->__pad[0] = forced.buffers;
  forced.buffers = buffer;
}

HEDDLE_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  auto* e = engine();
  if (e == nullptr) {
    using Real = void(__pthread_unwind_buf_t*);
    static Real* real = heddle::abi::next_function<Real>("__pthread_unregister_cancel");
    return real(buffer);
  }
  heddle::abi::forced_exit_of(*e).buffers = static_cast<__pthread_unwind_buf_t*>(buffer->__pad[0]);
}

HEDDLE_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  auto* e = engine();
  if (e == nullptr) {
    using Real = void(__pthread_unwind_buf_t*);
    heddle::abi::next_function<Real>("__pthread_unwind_next")(buffer);
    __builtin_unreachable();
  }
  heddle::abi::unwind_thread(heddle::abi::forced_exit_of(*e));
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
