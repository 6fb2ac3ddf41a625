// pthread_cond_*.
#include <errno.h>

#include "runtime/abi/pthread/shared_objects.h"

namespace heddle::abi {

namespace {
// Nobody waits, and no flags but the clock and the sharing. The other words count what libc's implementation
// did, perhaps before the engine ran.
bool is_initialised(const pthread_cond_t& condition) {
  const auto& d = condition.__data;
  return d.__wrefs <= 3 && d.__g_refs[0] <= 1 && d.__g_refs[1] <= 1;
}
constexpr ObjectTraits<pthread_cond_t> kCondition{sched::SyncKind::kCondition, 0, is_initialised};

// libc keeps the clock of pthread_condattr_setclock in this bit of __wrefs.
constexpr unsigned kMonotonicBit = 2;

clockid_t clock_of(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & kMonotonicBit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}
sched::SyncObject& condition_object(engine::Execution& e, pthread_cond_t* condition, std::uint64_t pc) {
  bool is_new = false;
  return known_object(e, condition, kCondition, pc, is_new);
}

constexpr unsigned kSharedBit = 1;  // of __wrefs

bool is_shared(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & kSharedBit) != 0 && in_shared_memory(condition);
}

}  // namespace

// Nobody waits in the child. libc counts waits where the mark lies.
void hand_conditions_to_libc(Execution& e) {
  hand_to_libc(e, kCondition, [](pthread_cond_t* condition, const sched::SyncObject&) {
    mark_of(condition, kCondition.mark) = 0;
  });
}

namespace {

SharedCall shared_call(const char* name, const pthread_cond_t* condition, std::uint64_t pc) {
  return {name, condition, sizeof *condition, sched::SyncKind::kCondition, pc};
}

struct SharedWait {
  pthread_cond_t* condition;
  pthread_mutex_t* mutex;
  std::uint64_t left;  // of the time to wait; kNoDeadline: for ever
};

// In the stand-in.
int wait_natively(void* argument) {
  const auto& wait = *static_cast<const SharedWait*>(argument);
  if (wait.left == sched::kNoDeadline) return HEDDLE_REAL(pthread_cond_wait)(wait.condition, wait.mutex);
  timespec until{};
  raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &until);
  const std::uint64_t end = nanoseconds(until) + wait.left;
  until = {static_cast<time_t>(end / 1'000'000'000), static_cast<long>(end % 1'000'000'000)};
  return HEDDLE_REAL(pthread_cond_clockwait)(wait.condition, wait.mutex, CLOCK_MONOTONIC, &until);
}

int wait_shared(Execution& e, pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t pc,
                std::uint64_t deadline) {
  const std::uint64_t now = e.scheduler().now();
  SharedWait wait{condition, mutex, deadline};
  if (deadline != sched::kNoDeadline) wait.left = deadline > now ? deadline - now : 0;
  // What the fiber knows goes with the mutex, which the stand-in lets go.
  sched::SyncObject& lock = e.sync_objects().get(reinterpret_cast<Address>(mutex), sched::SyncKind::kMutex);
  e.release(lock);
  const int result =
      stand_in(e, shared_call("pthread_cond_wait", condition, pc), deadline, wait_natively, &wait);
  e.acquire(lock);
  if (result >= 0) return result;
  const int error = lock_shared_mutex(e, mutex, sched::kNoDeadline, pc);
  return error != 0 ? error : result == -ETIMEDOUT ? ETIMEDOUT : 0;
}

int wait(engine::Execution& e, pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t pc,
         std::uint64_t deadline) {
  return cancellable(e, [&] {
    if (is_shared(condition) && is_shared_mutex(mutex)) return wait_shared(e, condition, mutex, pc, deadline);
    return e.condition_wait(condition_object(e, condition, pc), mutex_object(e, mutex, pc), pc, deadline);
  });
}

}  // namespace

}  // namespace heddle::abi

using heddle::abi::condition_object;
using heddle::abi::engine;

HEDDLE_EXPORT int pthread_cond_init(pthread_cond_t* condition,
                                    const pthread_condattr_t* attributes) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cond_init)(condition, attributes);
  heddle::abi::check_reinitialised(*e, condition, heddle::abi::kCondition, HEDDLE_CALLER_PC);
  const int error = HEDDLE_REAL(pthread_cond_init)(condition, attributes);
  if (error == 0 && !heddle::abi::is_shared(condition))
    heddle::abi::made_object(*e, condition, heddle::abi::kCondition, HEDDLE_CALLER_PC);
  return error;
}

HEDDLE_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cond_destroy)(condition);
  // libc's would wait for waiters, of which a stand-in that was ended is one for ever.
  if (heddle::abi::is_shared(condition)) return 0;
  heddle::abi::destroy_object(*e, condition, heddle::abi::kCondition, HEDDLE_CALLER_PC);
  return 0;
}

HEDDLE_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cond_wait)(condition, mutex);
  return heddle::abi::wait(*e, condition, mutex, HEDDLE_CALLER_PC, heddle::sched::kNoDeadline);
}

HEDDLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                         const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cond_timedwait)(condition, mutex, time);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  return heddle::abi::wait(*e, condition, mutex, HEDDLE_CALLER_PC,
                           heddle::abi::deadline_of(*time, heddle::abi::clock_of(condition)));
}

HEDDLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                         const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
  if (!heddle::abi::valid_time(*time) || !heddle::abi::valid_clock(clock)) return EINVAL;
  return heddle::abi::wait(*e, condition, mutex, HEDDLE_CALLER_PC, heddle::abi::deadline_of(*time, clock));
}

HEDDLE_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cond_signal)(condition);
  if (heddle::abi::is_shared(condition)) {
    return heddle::abi::perform_shared(
        *e, heddle::abi::shared_call("pthread_cond_signal", condition, HEDDLE_CALLER_PC),
        [&] { return HEDDLE_REAL(pthread_cond_signal)(condition); });
  }
  return e->condition_signal(condition_object(*e, condition, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_cond_broadcast)(condition);
  if (heddle::abi::is_shared(condition)) {
    return heddle::abi::perform_shared(
        *e, heddle::abi::shared_call("pthread_cond_broadcast", condition, HEDDLE_CALLER_PC),
        [&] { return HEDDLE_REAL(pthread_cond_broadcast)(condition); });
  }
  return e->condition_broadcast(condition_object(*e, condition, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}
