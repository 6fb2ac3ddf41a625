// pthread_mutex_* (std::mutex and its relatives come here, too).
#include <errno.h>

#include "runtime/abi/pthread_objects.h"

namespace heddle::abi {

using sched::MutexType;
using sched::SyncObject;

namespace {
constexpr std::size_t kMutexMark = offsetof(pthread_mutex_t, __data.__list);
constexpr int kRobustBit = 16;  // libc's PTHREAD_MUTEX_ROBUST_NORMAL_NP
}  // namespace

SyncObject& mutex_object(engine::Execution& e, pthread_mutex_t* mutex) {
  bool is_new = false;
  SyncObject& m = marked_object(e, mutex, sched::SyncKind::kMutex, kMutexMark, is_new);
  if (is_new) {
    m.robust = (mutex->__data.__kind & kRobustBit) != 0;
    switch (mutex->__data.__kind & 3) {
      case PTHREAD_MUTEX_RECURSIVE_NP:
        m.type = MutexType::kRecursive;
        break;
      case PTHREAD_MUTEX_ERRORCHECK_NP:
        m.type = MutexType::kErrorCheck;
        break;
      case PTHREAD_MUTEX_ADAPTIVE_NP:
        m.type = MutexType::kAdaptive;
        break;
      default:
        m.type = MutexType::kNormal;
        break;
    }
  }
  return m;
}

}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::mutex_object;

HEDDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  return HEDDLE_REAL(pthread_mutex_init)(mutex, attributes);  // clears our mark
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_destroy)(mutex);
  const int error = e->mutex_destroy(mutex_object(*e, mutex), HEDDLE_CALLER_PC);
  heddle::abi::mark_of(mutex, heddle::abi::kMutexMark) = 0;
  return error;
}

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_lock)(mutex);
  return e->mutex_lock(mutex_object(*e, mutex), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_trylock)(mutex);
  return e->mutex_try_lock(mutex_object(*e, mutex), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_timedlock)(mutex, time);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  return e->mutex_lock(mutex_object(*e, mutex), HEDDLE_CALLER_PC,
                       heddle::abi::deadline_of(*time, CLOCK_REALTIME));
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_clocklock)(mutex, clock, time);
  if (!heddle::abi::valid_time(*time) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)) return EINVAL;
  return e->mutex_lock(mutex_object(*e, mutex), HEDDLE_CALLER_PC, heddle::abi::deadline_of(*time, clock));
}

HEDDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_unlock)(mutex);
  return e->mutex_unlock(mutex_object(*e, mutex), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_consistent)(mutex);
  heddle::sched::SyncObject& m = mutex_object(*e, mutex);
  if (!m.robust || !m.inconsistent) return EINVAL;
  m.inconsistent = false;
  return 0;
}
