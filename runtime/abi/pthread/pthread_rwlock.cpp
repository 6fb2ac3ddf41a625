// pthread_rwlock_* (std::shared_mutex) and pthread_spin_*.
#include <errno.h>

#include "runtime/abi/pthread/shared_objects.h"

namespace heddle::abi {
namespace {

using sched::SyncKind;
using sched::SyncObject;

// The counters need not be zero: a library may have used the lock before the engine ran.
bool is_initialised(const pthread_rwlock_t& lock) {
  const auto& d = lock.__data;
  return d.__pad3 == 0 && d.__pad4 == 0 && d.__pad2 == 0 && d.__shared >= 0 && d.__shared <= 1 &&
         d.__flags <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}
constexpr ObjectTraits<pthread_rwlock_t> kRwlock{SyncKind::kRwlock, 0, is_initialised};

void take_kind(SyncObject& l, const pthread_rwlock_t& lock) {
  l.prefers_writers = lock.__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

SyncObject& rwlock_object(engine::Execution& e, pthread_rwlock_t* lock, std::uint64_t pc) {
  bool is_new = false;
  SyncObject& l = known_object(e, lock, kRwlock, pc, is_new);
  if (is_new) take_kind(l, *lock);
  return l;
}

// Without the engine: the runtime itself is at work, and has called something that locks. LLVM's libunwind does when
// a stack is taken. Nobody else runs meanwhile. libc would take our mark for its counter of readers, and overwrite it.
bool is_managed(const pthread_rwlock_t& lock) {
  const auto address = reinterpret_cast<Address>(&lock);
  return mark_of(const_cast<pthread_rwlock_t*>(&lock), kRwlock.mark) == mark_value(address);
}

bool is_shared(const pthread_rwlock_t* lock) { return lock->__data.__shared != 0 && in_shared_memory(lock); }

int lock_anyhow(Execution& e, pthread_rwlock_t* lock, bool write, bool only_try, std::uint64_t deadline,
                std::uint64_t pc) {
  if (!is_shared(lock)) return e.rwlock_lock(rwlock_object(e, lock, pc), write, only_try, deadline, pc);
  const SharedCall call{write ? "pthread_rwlock_wrlock" : "pthread_rwlock_rdlock", lock, sizeof *lock,
                        SyncKind::kRwlock, pc};
  return take_shared(e, call, EBUSY, only_try ? kOnlyTry : shared_deadline(deadline), [&] {
    return write ? HEDDLE_REAL(pthread_rwlock_trywrlock)(lock) : HEDDLE_REAL(pthread_rwlock_tryrdlock)(lock);
  });
}

}  // namespace

void hand_rwlocks_to_libc(Execution& e) {
  hand_to_libc(e, kRwlock, [](pthread_rwlock_t* lock, const SyncObject& l) {
    mark_of(lock, kRwlock.mark) = 0;
    if (l.owner != kNoThread) HEDDLE_REAL(pthread_rwlock_trywrlock)(lock);
    for (std::uint32_t i = 0; l.owner == kNoThread && i < l.count; ++i)
      HEDDLE_REAL(pthread_rwlock_tryrdlock)(lock);
  });
}

namespace {

// A spin lock is one int, with no room for a mark: known by its address, made anew by pthread_spin_init. One
// that was initialised before the engine ran has libc's value for an open lock.
constexpr int kOpenSpinLock = 1;
constexpr int kDestroyedSpinLock = -1;

SyncObject& spin_object(engine::Execution& e, pthread_spinlock_t* lock, std::uint64_t pc) {
  const auto address = reinterpret_cast<Address>(lock);
  const SyncObject* known = e.sync_objects().find(address);
  const bool is_new = known == nullptr || known->kind != SyncKind::kSpinLock;
  SyncObject& l = e.sync_objects().get(address, SyncKind::kSpinLock);
  if (l.destroyed && *lock == kDestroyedSpinLock) report_unusable(e, l, true, pc);
  if (is_new && *lock != kOpenSpinLock) report_unusable(e, l, false, pc);
  return l;
}

// Nothing in a spin lock says that processes share it: its memory does.
bool is_shared_spin(Execution& e, const pthread_spinlock_t* lock) {
  const SyncObject* known = e.sync_objects().find(reinterpret_cast<Address>(lock));
  if (known != nullptr && known->kind == SyncKind::kSpinLock) return known->shared;
  SyncObject& l = e.sync_objects().get(reinterpret_cast<Address>(lock), SyncKind::kSpinLock);
  l.shared = in_shared_memory(const_cast<const int*>(lock));
  if (!l.shared) l.kind = SyncKind::kNone;  // not known yet
  return l.shared;
}

SharedCall spin_call(const char* name, const pthread_spinlock_t* lock, std::uint64_t pc) {
  return {name, const_cast<const int*>(lock), sizeof *lock, SyncKind::kSpinLock, pc};
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::is_shared_spin;
using heddle::abi::rwlock_object;
using heddle::abi::spin_object;
using heddle::sched::kNoDeadline;

HEDDLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock,
                                      const pthread_rwlockattr_t* attributes) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_rwlock_init)(lock, attributes);
  heddle::abi::check_reinitialised(*e, lock, heddle::abi::kRwlock, HEDDLE_CALLER_PC);
  const int error = HEDDLE_REAL(pthread_rwlock_init)(lock, attributes);
  if (error != 0 || heddle::abi::is_shared(lock)) return error;
  heddle::abi::take_kind(heddle::abi::made_object(*e, lock, heddle::abi::kRwlock, HEDDLE_CALLER_PC), *lock);
  return 0;
}
HEDDLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr || heddle::abi::is_shared(lock)) return HEDDLE_REAL(pthread_rwlock_destroy)(lock);
  heddle::abi::destroy_object(*e, lock, heddle::abi::kRwlock, HEDDLE_CALLER_PC);
  return 0;
}
HEDDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_rdlock)(lock);
  return heddle::abi::lock_anyhow(*e, lock, false, false, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_wrlock)(lock);
  return heddle::abi::lock_anyhow(*e, lock, true, false, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_tryrdlock)(lock);
  return heddle::abi::lock_anyhow(*e, lock, false, true, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_trywrlock)(lock);
  return heddle::abi::lock_anyhow(*e, lock, true, true, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr)
    return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_timedrdlock)(lock, time);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  return heddle::abi::lock_anyhow(*e, lock, false, false, heddle::abi::deadline_of(*time, CLOCK_REALTIME),
                                  HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr)
    return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_timedwrlock)(lock, time);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  return heddle::abi::lock_anyhow(*e, lock, true, false, heddle::abi::deadline_of(*time, CLOCK_REALTIME),
                                  HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr)
    return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_clockrdlock)(lock, clock, time);
  if (!heddle::abi::valid_time(*time) || !heddle::abi::valid_clock(clock)) return EINVAL;
  return heddle::abi::lock_anyhow(*e, lock, false, false, heddle::abi::deadline_of(*time, clock),
                                  HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                             const timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr)
    return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_clockwrlock)(lock, clock, time);
  if (!heddle::abi::valid_time(*time) || !heddle::abi::valid_clock(clock)) return EINVAL;
  return heddle::abi::lock_anyhow(*e, lock, true, false, heddle::abi::deadline_of(*time, clock),
                                  HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return heddle::abi::is_managed(*lock) ? 0 : HEDDLE_REAL(pthread_rwlock_unlock)(lock);
  if (heddle::abi::is_shared(lock)) {
    const heddle::abi::SharedCall call{"pthread_rwlock_unlock", lock, sizeof *lock,
                                       heddle::sched::SyncKind::kRwlock, HEDDLE_CALLER_PC};
    return heddle::abi::perform_shared(*e, call, [&] { return HEDDLE_REAL(pthread_rwlock_unlock)(lock); });
  }
  return e->rwlock_unlock(rwlock_object(*e, lock, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) noexcept {
  if (auto* e = engine()) {
    auto& l =
        e->sync_objects().get(reinterpret_cast<heddle::Address>(lock), heddle::sched::SyncKind::kSpinLock);
    if (!l.destroyed) e->check_unused(l, "initialisation of", HEDDLE_CALLER_PC);
    e->forget(l);
    e->sync_objects().renew(l, heddle::sched::SyncKind::kSpinLock);
    l.made = e->place(HEDDLE_CALLER_PC);
    e->object_made(l, HEDDLE_CALLER_PC);
    l.shared =
        shared != PTHREAD_PROCESS_PRIVATE && heddle::abi::in_shared_memory(const_cast<const int*>(lock));
  }
  return HEDDLE_REAL(pthread_spin_init)(lock, shared);
}
HEDDLE_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr || is_shared_spin(*e, lock)) return HEDDLE_REAL(pthread_spin_destroy)(lock);
  e->destroy_object(spin_object(*e, lock, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
  *lock = heddle::abi::kDestroyedSpinLock;
  return 0;
}
HEDDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_spin_lock)(lock);
  if (is_shared_spin(*e, lock)) {
    return heddle::abi::take_shared(*e, heddle::abi::spin_call("pthread_spin_lock", lock, HEDDLE_CALLER_PC),
                                    EBUSY, kNoDeadline,
                                    [&] { return HEDDLE_REAL(pthread_spin_trylock)(lock); });
  }
  return e->mutex_lock(spin_object(*e, lock, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_spin_trylock)(lock);
  if (is_shared_spin(*e, lock)) {
    return heddle::abi::take_shared(
        *e, heddle::abi::spin_call("pthread_spin_trylock", lock, HEDDLE_CALLER_PC), EBUSY,
        heddle::abi::kOnlyTry, [&] { return HEDDLE_REAL(pthread_spin_trylock)(lock); });
  }
  return e->mutex_try_lock(spin_object(*e, lock, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_spin_unlock)(lock);
  if (is_shared_spin(*e, lock)) {
    return heddle::abi::perform_shared(*e,
                                       heddle::abi::spin_call("pthread_spin_unlock", lock, HEDDLE_CALLER_PC),
                                       [&] { return HEDDLE_REAL(pthread_spin_unlock)(lock); });
  }
  return e->mutex_unlock(spin_object(*e, lock, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}
