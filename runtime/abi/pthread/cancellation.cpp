// pthread_exit, pthread_cancel and the cleanup handlers that both run.
#include "runtime/abi/pthread/cancellation.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unwind.h>

#include "runtime/abi/pthread/thread_exit.h"

namespace heddle::abi {
namespace {

// A thread leaves its frames as libc's does, by a forced unwind that runs the destructors of C++
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
  const bool ended = (actions & _UA_END_OF_STACK) != 0;  // also at a frame without unwind tables
  if (forced.buffers != nullptr &&
      (ended || _Unwind_GetCFA(context) > reinterpret_cast<std::uint64_t>(forced.buffers))) {
    run_cleanup(forced);
  }
  if (ended) exit_thread(*current, forced.result);
  return _URC_NO_REASON;
}

// A catch (...) ended without throwing on. libc's threads abort there, too.
void swallowed(_Unwind_Reason_Code, _Unwind_Exception*) {
  current->fatal(FindingKind::kAbort,
                 "a catch (...) swallowed the exception that ends a thread (pthread_exit or pthread_cancel); "
                 "it must be thrown on",
                 current->self().last_pc, SIGABRT);
}

[[noreturn]] void unwind_thread(ForcedExit& forced) {
  forced.exception = {};
  forced.exception.exception_cleanup = swallowed;
  _Unwind_ForcedUnwind(&forced.exception, at_frame, nullptr);
  // Frames without unwind tables: what is left are the C handlers.
  if (forced.buffers != nullptr) run_cleanup(forced);
  exit_thread(*current, forced.result);
}

[[noreturn]] void leave_thread(engine::Execution& e, void* result) {
  ForcedExit& forced = forced_exit_of(e);
  forced.result = result;
  unwind_thread(forced);
}

void push_cleanup(engine::Execution& e, __pthread_unwind_buf_t* buffer) {
  ForcedExit& forced = forced_exit_of(e);
  buffer->__pad[0] = forced.buffers;
  forced.buffers = buffer;
}

void pop_cleanup(engine::Execution& e, const __pthread_unwind_buf_t* buffer) {
  forced_exit_of(e).buffers = static_cast<__pthread_unwind_buf_t*>(buffer->__pad[0]);
}

using CleanupFunction = void(__pthread_unwind_buf_t*);

}  // namespace

void cancel_running_thread() {
  engine::Execution& e = *current;
  e.accept_cancel();
  leave_thread(e, PTHREAD_CANCELED);
}

void act_on_cancel(engine::Execution& e) {
  if (engine::Execution::cancel_pending(e.self())) cancel_running_thread();
}

void act_on_broken_wait(engine::Execution& e) {
  if (e.self().cancel_broke_wait) cancel_running_thread();
}

}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT void pthread_exit(void* result) {
  auto* e = engine();
  if (e == nullptr) {
    HEDDLE_REAL(pthread_exit)(result);
    __builtin_unreachable();
  }
  e->self().cancel_disabled = true;
  heddle::abi::leave_thread(*e, result);
}

HEDDLE_EXPORT int pthread_cancel(pthread_t thread) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cancel)(thread);
  const int error = e->cancel_thread(thread, HEDDLE_CALLER_PC);
  if (e->self().cancel_asynchronous) heddle::abi::act_on_cancel(*e);  // it may be the caller itself
  return error;
}

HEDDLE_EXPORT void pthread_testcancel() {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_testcancel)();
  e->visible({heddle::EventKind::kYield, heddle::MemoryOrder::kRelaxed, 0, 0, HEDDLE_CALLER_PC});
  heddle::abi::act_on_cancel(*e);
}

HEDDLE_EXPORT int pthread_setcancelstate(int state, int* old) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_setcancelstate)(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  heddle::sched::Thread& t = e->self();
  if (old != nullptr) *old = t.cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  if (!t.exiting) t.cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
  if (t.cancel_asynchronous) heddle::abi::act_on_cancel(*e);
  return 0;
}

HEDDLE_EXPORT int pthread_setcanceltype(int type, int* old) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_setcanceltype)(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  heddle::sched::Thread& t = e->self();
  if (old != nullptr) *old = t.cancel_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  t.cancel_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (t.cancel_asynchronous) heddle::abi::act_on_cancel(*e);
  return 0;
}

HEDDLE_EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  if (auto* e = engine()) return heddle::abi::push_cleanup(*e, buffer);
  static auto* real = heddle::abi::next_function<heddle::abi::CleanupFunction>("__pthread_register_cancel");
  real(buffer);
}

HEDDLE_EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  if (auto* e = engine()) return heddle::abi::pop_cleanup(*e, buffer);
  static auto* real = heddle::abi::next_function<heddle::abi::CleanupFunction>("__pthread_unregister_cancel");
  real(buffer);
}

// pthread_cleanup_push_defer_np: the handler's scope is also one of deferred cancellation.
HEDDLE_EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t* buffer) {
  if (auto* e = engine()) {
    heddle::abi::push_cleanup(*e, buffer);
    buffer->__pad[1] = e->self().cancel_asynchronous ? buffer : nullptr;
    e->self().cancel_asynchronous = false;
    return;
  }
  static auto* real =
      heddle::abi::next_function<heddle::abi::CleanupFunction>("__pthread_register_cancel_defer");
  real(buffer);
}

HEDDLE_EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t* buffer) {
  if (auto* e = engine()) {
    heddle::abi::pop_cleanup(*e, buffer);
    e->self().cancel_asynchronous = buffer->__pad[1] != nullptr;
    if (e->self().cancel_asynchronous) heddle::abi::act_on_cancel(*e);
    return;
  }
  static auto* real =
      heddle::abi::next_function<heddle::abi::CleanupFunction>("__pthread_unregister_cancel_restore");
  real(buffer);
}

HEDDLE_EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  auto* e = engine();
  if (e == nullptr) {
    heddle::abi::next_function<heddle::abi::CleanupFunction>("__pthread_unwind_next")(buffer);
    __builtin_unreachable();
  }
  heddle::abi::unwind_thread(heddle::abi::forced_exit_of(*e));
}
