// What a mutex means: pure transitions of its state, for every type that POSIX has. Blocking is the caller's.
#pragma once

#include "runtime/sched/sync_object.h"

namespace heddle::sched {

enum class LockOutcome : std::uint8_t {
  kAcquired,
  kHeldByOther,
  kHeldBySelf,      // normal mutex: waits for itself for ever
  kWouldDeadlock,   // error-checking mutex: EDEADLK
  kOwnerDied,       // robust mutex: acquired, EOWNERDEAD
  kNotRecoverable,  // robust mutex: ENOTRECOVERABLE
};

enum class UnlockOutcome : std::uint8_t { kReleased, kStillHeld, kNotLocked, kNotOwner };

inline LockOutcome try_lock(SyncObject& m, ThreadId t) {
  if (m.not_recoverable) return LockOutcome::kNotRecoverable;
  if (m.count == 0) {
    m.owner = t;
    m.count = 1;
    return m.inconsistent ? LockOutcome::kOwnerDied : LockOutcome::kAcquired;
  }
  if (m.owner != t) return LockOutcome::kHeldByOther;
  switch (m.type) {
    case MutexType::kRecursive:
      ++m.count;
      return LockOutcome::kAcquired;
    case MutexType::kErrorCheck:
      return LockOutcome::kWouldDeadlock;
    default:
      return LockOutcome::kHeldBySelf;
  }
}

inline UnlockOutcome unlock(SyncObject& m, ThreadId t) {
  if (m.count == 0) return UnlockOutcome::kNotLocked;
  if (m.owner != t) return UnlockOutcome::kNotOwner;
  if (--m.count > 0) return UnlockOutcome::kStillHeld;
  m.owner = kNoThread;
  if (m.inconsistent) m.not_recoverable = true;  // unlocked without pthread_mutex_consistent
  return UnlockOutcome::kReleased;
}

}  // namespace heddle::sched
