// pthread_mutex_* (std::mutex and its relatives come here, too).
#include <errno.h>

#include "runtime/abi/pthread/shared_objects.h"

namespace heddle::abi {

using sched::MutexType;
using sched::SyncObject;

namespace {

// libc's bits of __kind beside the type.
constexpr int kRobustBit = 16;
constexpr int kPrioProtectBit = 64;
constexpr int kSharedBit = 128;
constexpr int kKindBits = 0x3f3;
constexpr unsigned kCeilingShift = 19;  // of __lock, priority protection only

bool is_initialised(const pthread_mutex_t& mutex) {
  const auto& d = mutex.__data;
  const bool ceiling = (d.__kind & kPrioProtectBit) != 0;
  return (d.__lock == 0 || ceiling) && d.__count == 0 && d.__owner == 0 && d.__nusers == 0 &&
         (d.__kind & ~kKindBits) == 0 && d.__list.__prev == nullptr && d.__list.__next == nullptr;
}

constexpr ObjectTraits<pthread_mutex_t> kMutex{sched::SyncKind::kMutex,
                                               offsetof(pthread_mutex_t, __data.__list), is_initialised};

void take_type(SyncObject& m, const pthread_mutex_t& mutex) {
  m.robust = (mutex.__data.__kind & kRobustBit) != 0;
  switch (mutex.__data.__kind & 3) {
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

// The owner that libc notes for the running fiber.
int own_native_id() {
  pthread_mutex_t probe = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  HEDDLE_REAL(pthread_mutex_lock)(&probe);
  const int id = probe.__data.__owner;
  HEDDLE_REAL(pthread_mutex_unlock)(&probe);
  return id;
}

// POSIX, pthread_mutex_lock: EINVAL where the caller's priority is above the ceiling.
bool is_above_ceiling(const pthread_mutex_t* mutex) {
  if ((mutex->__data.__kind & kPrioProtectBit) == 0) return false;
  int policy = SCHED_OTHER;
  sched_param parameters{};
  pthread_getschedparam(pthread_self(), &policy, &parameters);
  return parameters.sched_priority >
         static_cast<int>(static_cast<unsigned>(mutex->__data.__lock) >> kCeilingShift);
}

// In memory that is shared, processes can use it together, whatever its attributes say; the bit tells it
// apart from here on.
void note_sharing(pthread_mutex_t* mutex) {
  if (has_shared_mappings() && in_shared_memory(mutex)) mutex->__data.__kind |= kSharedBit;
}

SharedCall shared_call(const char* name, const pthread_mutex_t* mutex, std::uint64_t pc) {
  return {name, mutex, sizeof *mutex, sched::SyncKind::kMutex, pc};
}

}  // namespace

void hand_mutexes_to_libc(Execution& e) {
  hand_to_libc(e, kMutex, [](pthread_mutex_t* mutex, const SyncObject& m) {
    mark_of(mutex, kMutex.mark) = 0;
    for (std::uint32_t i = 0; i < m.count; ++i) HEDDLE_REAL(pthread_mutex_trylock)(mutex);
  });
}

bool is_shared_mutex(const pthread_mutex_t* mutex) {
  return (mutex->__data.__kind & kSharedBit) != 0 && in_shared_memory(mutex);
}

int lock_shared_mutex(Execution& e, pthread_mutex_t* mutex, std::uint64_t deadline, std::uint64_t pc) {
  return take_shared(e, shared_call("pthread_mutex_lock", mutex, pc), EBUSY, shared_deadline(deadline), [&] {
    const int error = HEDDLE_REAL(pthread_mutex_trylock)(mutex);
    const bool checks = (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
    return error == EBUSY && checks && mutex->__data.__owner == own_native_id() ? EDEADLK : error;
  });
}

SyncObject& mutex_object(engine::Execution& e, pthread_mutex_t* mutex, std::uint64_t pc) {
  bool is_new = false;
  SyncObject& m = known_object(e, mutex, kMutex, pc, is_new);
  if (is_new) take_type(m, *mutex);
  return m;
}

}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::is_shared_mutex;
using heddle::abi::mutex_object;

HEDDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_init)(mutex, attributes);
  heddle::abi::check_reinitialised(*e, mutex, heddle::abi::kMutex, HEDDLE_CALLER_PC);
  const int error = HEDDLE_REAL(pthread_mutex_init)(mutex, attributes);
  if (error == 0) heddle::abi::note_sharing(mutex);
  if (error != 0 || heddle::abi::is_shared_mutex(mutex)) return error;
  heddle::abi::take_type(heddle::abi::made_object(*e, mutex, heddle::abi::kMutex, HEDDLE_CALLER_PC), *mutex);
  return 0;
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr || is_shared_mutex(mutex)) return HEDDLE_REAL(pthread_mutex_destroy)(mutex);
  heddle::abi::destroy_object(*e, mutex, heddle::abi::kMutex, HEDDLE_CALLER_PC);
  return 0;
}

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_lock)(mutex);
  if (is_shared_mutex(mutex))
    return heddle::abi::lock_shared_mutex(*e, mutex, heddle::sched::kNoDeadline, HEDDLE_CALLER_PC);
  if (heddle::abi::is_above_ceiling(mutex)) return EINVAL;
  return e->mutex_lock(mutex_object(*e, mutex, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_trylock)(mutex);
  if (is_shared_mutex(mutex)) {
    return heddle::abi::take_shared(
        *e, heddle::abi::shared_call("pthread_mutex_trylock", mutex, HEDDLE_CALLER_PC), EBUSY, 0,
        [&] { return HEDDLE_REAL(pthread_mutex_trylock)(mutex); });
  }
  if (heddle::abi::is_above_ceiling(mutex)) return EINVAL;
  return e->mutex_try_lock(mutex_object(*e, mutex, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_timedlock)(mutex, time);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  if (is_shared_mutex(mutex)) {
    return heddle::abi::lock_shared_mutex(*e, mutex, heddle::abi::deadline_of(*time, CLOCK_REALTIME),
                                          HEDDLE_CALLER_PC);
  }
  if (heddle::abi::is_above_ceiling(mutex)) return EINVAL;
  return e->mutex_lock(mutex_object(*e, mutex, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC,
                       heddle::abi::deadline_of(*time, CLOCK_REALTIME));
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_clocklock)(mutex, clock, time);
  if (!heddle::abi::valid_time(*time) || !heddle::abi::valid_clock(clock)) return EINVAL;
  if (is_shared_mutex(mutex)) {
    return heddle::abi::lock_shared_mutex(*e, mutex, heddle::abi::deadline_of(*time, clock),
                                          HEDDLE_CALLER_PC);
  }
  if (heddle::abi::is_above_ceiling(mutex)) return EINVAL;
  return e->mutex_lock(mutex_object(*e, mutex, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC,
                       heddle::abi::deadline_of(*time, clock));
}

HEDDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_unlock)(mutex);
  if (is_shared_mutex(mutex)) {
    return heddle::abi::perform_shared(
        *e, heddle::abi::shared_call("pthread_mutex_unlock", mutex, HEDDLE_CALLER_PC),
        [&] { return HEDDLE_REAL(pthread_mutex_unlock)(mutex); });
  }
  return e->mutex_unlock(mutex_object(*e, mutex, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) noexcept {
  auto* e = engine();
  if (e == nullptr || is_shared_mutex(mutex)) return HEDDLE_REAL(pthread_mutex_consistent)(mutex);
  heddle::sched::SyncObject& m = mutex_object(*e, mutex, HEDDLE_CALLER_PC);
  if (!m.robust || !m.inconsistent) return EINVAL;
  m.inconsistent = false;
  return 0;
}

// Priorities mean nothing to the scheduler; the ceiling is kept where libc keeps it.
HEDDLE_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t* mutex, int ceiling, int* old) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
  if ((mutex->__data.__kind & heddle::abi::kPrioProtectBit) == 0) return EINVAL;
  if (ceiling < sched_get_priority_min(SCHED_FIFO) || ceiling > sched_get_priority_max(SCHED_FIFO))
    return EINVAL;
  heddle::sched::SyncObject& m = mutex_object(*e, mutex, HEDDLE_CALLER_PC);
  const int error = e->mutex_lock(m, HEDDLE_CALLER_PC);
  if (error != 0 && error != EDEADLK) return error;
  *old = static_cast<int>(static_cast<unsigned>(mutex->__data.__lock) >> heddle::abi::kCeilingShift);
  mutex->__data.__lock = static_cast<int>(static_cast<unsigned>(ceiling) << heddle::abi::kCeilingShift);
  return error != 0 ? 0 : e->mutex_unlock(m, HEDDLE_CALLER_PC);
}
