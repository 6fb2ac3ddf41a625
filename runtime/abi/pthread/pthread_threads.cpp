// pthread_create and what concerns a thread as a whole.
#include <errno.h>
#include <pthread.h>

#include "runtime/abi/heddle/recording.h"
#include "runtime/abi/pthread/cancellation.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/abi/pthread/thread_attributes.h"
#include "runtime/abi/pthread/thread_exit.h"

namespace heddle::abi {
namespace {

// The bottom of every thread's program frames: a forced unwind stops here.
void* run_thread(void*) {
  const sched::Thread& t = current->self();
  exit_thread(*current, t.body(t.body_argument));
}

int join(engine::Execution& e, pthread_t thread, void** result, std::uint64_t deadline, std::uint64_t pc) {
  return cancellable(e, [&] { return e.join_thread(thread, result, deadline, false, pc); });
}

// Without a time it is an ordinary join.
int timed_join(engine::Execution& e, pthread_t thread, void** result, clockid_t clock, const timespec* time,
               std::uint64_t pc) {
  if (time == nullptr) return join(e, thread, result, sched::kNoDeadline, pc);
  if (!valid_time(*time) || !valid_clock(clock)) return EINVAL;
  return join(e, thread, result, deadline_of(*time, clock), pc);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                                 void* argument) noexcept {
  auto* e = engine();
  if (e == nullptr) {
    heddle::abi::wrap_recorded_start(start, argument);
    const int error = HEDDLE_REAL(pthread_create)(thread, attributes, start, argument);
    if (error != 0) heddle::abi::drop_recorded_start(argument);
    return error;
  }
  heddle::abi::CreationRequest request;
  if (const int error = heddle::abi::read_attributes(attributes, request); error != 0) return error;
  heddle::sched::Thread* t =
      e->create_thread(heddle::abi::run_thread, nullptr, request.stack, request.detached, HEDDLE_CALLER_PC);
  if (t == nullptr) return EAGAIN;
  // (It does not run before its creator's next operation.)
  t->body = start;
  t->body_argument = argument;
  heddle::abi::keep_attributes(*e, *t, request);
  t->last_pc = reinterpret_cast<std::uint64_t>(start) + 1;
  t->pending.pc = t->last_pc;
  *thread = static_cast<pthread_t>(e->scheduler().handle_of(*t));
  return 0;
}

HEDDLE_EXPORT int pthread_join(pthread_t thread, void** result) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_join)(thread, result);
  return heddle::abi::join(*e, thread, result, heddle::sched::kNoDeadline, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_tryjoin_np)(thread, result);
  return e->join_thread(thread, result, heddle::sched::kNoDeadline, true, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_timedjoin_np)(thread, result, time);
  return heddle::abi::timed_join(*e, thread, result, CLOCK_REALTIME, time, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                       const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_clockjoin_np)(thread, result, clock, time);
  return heddle::abi::timed_join(*e, thread, result, clock, time, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_detach(pthread_t thread) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_detach)(thread);
  return e->detach_thread(thread, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int sched_yield() noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sched_yield)();
  e->yield(HEDDLE_CALLER_PC);
  return 0;
}
