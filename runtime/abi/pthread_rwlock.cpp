// pthread_rwlock_* (std::shared_mutex) and pthread_spin_*.
#include <errno.h>

#include "runtime/abi/pthread_objects.h"

namespace heddle::abi {
namespace {

using sched::SyncKind;
using sched::SyncObject;

constexpr std::size_t kRwlockMark = 0;  // the readers' count of libc's own implementation

SyncObject& rwlock_object(engine::Execution& e, pthread_rwlock_t* lock) {
  bool is_new = false;
  return marked_object(e, lock, SyncKind::kRwlock, kRwlockMark, is_new);
}

// A spin lock is one int, with no room for a mark: known by its address, made anew by pthread_spin_init.
SyncObject& spin_object(engine::Execution& e, pthread_spinlock_t* lock) {
  return e.sync_objects().get(reinterpret_cast<Address>(lock), SyncKind::kSpinLock);
}

bool valid_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::rwlock_object;
using heddle::abi::spin_object;
using heddle::sched::kNoDeadline;

HEDDLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock,
                                      const pthread_rwlockattr_t* attributes) noexcept {
  return HEDDLE_REAL(pthread_rwlock_init)(lock, attributes);
}
HEDDLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_destroy)(lock);
  auto& l = rwlock_object(*e, lock);
  if (l.count != 0 || l.owner != heddle::kNoThread) {
    e->misuse(heddle::FindingKind::kRwlockMisuse, "destruction of an rwlock that is locked", l,
              HEDDLE_CALLER_PC);
  }
  heddle::abi::mark_of(lock, heddle::abi::kRwlockMark) = 0;
  return 0;
}
HEDDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_rdlock)(lock);
  return e->rwlock_lock(rwlock_object(*e, lock), false, false, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_wrlock)(lock);
  return e->rwlock_lock(rwlock_object(*e, lock), true, false, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_tryrdlock)(lock);
  return e->rwlock_lock(rwlock_object(*e, lock), false, true, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_trywrlock)(lock);
  return e->rwlock_lock(rwlock_object(*e, lock), true, true, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_timedrdlock)(lock, time);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  return e->rwlock_lock(rwlock_object(*e, lock), false, false,
                        heddle::abi::deadline_of(*time, CLOCK_REALTIME), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_timedwrlock)(lock, time);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  return e->rwlock_lock(rwlock_object(*e, lock), true, false, heddle::abi::deadline_of(*time, CLOCK_REALTIME),
                        HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_clockrdlock)(lock, clock, time);
  if (!heddle::abi::valid_time(*time) || !heddle::abi::valid_clock(clock)) return EINVAL;
  return e->rwlock_lock(rwlock_object(*e, lock), false, false, heddle::abi::deadline_of(*time, clock),
                        HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_clockwrlock)(lock, clock, time);
  if (!heddle::abi::valid_time(*time) || !heddle::abi::valid_clock(clock)) return EINVAL;
  return e->rwlock_lock(rwlock_object(*e, lock), true, false, heddle::abi::deadline_of(*time, clock),
                        HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_unlock)(lock);
  return e->rwlock_unlock(rwlock_object(*e, lock), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (auto* e = engine()) {
    auto& l = spin_object(*e, lock);
    l.kind = heddle::sched::SyncKind::kNone;
  }
  return HEDDLE_REAL(pthread_spin_init)(lock, shared);
}
HEDDLE_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_spin_destroy)(lock);
  return e->mutex_destroy(spin_object(*e, lock), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_spin_lock)(lock);
  return e->mutex_lock(spin_object(*e, lock), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_spin_trylock)(lock);
  return e->mutex_try_lock(spin_object(*e, lock), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_spin_unlock)(lock);
  return e->mutex_unlock(spin_object(*e, lock), HEDDLE_CALLER_PC);
}
