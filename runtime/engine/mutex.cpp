// Mutexes under the engine: each lock, failed try-lock and unlock is a visible operation.
#include "runtime/sched/mutex.h"

#include <cerrno>

#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::LockOutcome;
using sched::SyncObject;
using sched::UnlockOutcome;
using sched::WaitKind;

void Execution::mutex_taken(SyncObject& m, std::uint64_t pc, bool could_wait, bool blocked) {
  acquire(m);
  const std::uint64_t user = 1ull << index_of(scheduler_.current()) % 64;
  if ((m.users & user) == 0) [[unlikely]] {
    m.users |= user;
    note_use(m, pc);
  }
  done(EventKind::kMutexLock, m.number);
  if (Event* event = record(EventKind::kMutexLock, pc)) {
    set_address(*event, m.address);
    event->flags = blocked ? event_flags::kBlocked : 0;
  }
  if (m.count == 1) lock_taken(m, false, could_wait, pc);
}

int Execution::mutex_lock(SyncObject& m, std::uint64_t pc, std::uint64_t deadline) {
  visible({EventKind::kMutexLock, MemoryOrder::kRelaxed, 0, m.address, pc});
  bool blocked = false;
  const bool could_wait = deadline == sched::kNoDeadline;
  for (;;) {
    switch (sched::try_lock(m, scheduler_.current())) {
      case LockOutcome::kAcquired:
        mutex_taken(m, pc, could_wait, blocked);
        return 0;
      case LockOutcome::kOwnerDied:
        mutex_taken(m, pc, could_wait, blocked);
        return EOWNERDEAD;
      case LockOutcome::kNotRecoverable:
        return ENOTRECOVERABLE;
      case LockOutcome::kWouldDeadlock:
        return EDEADLK;
      case LockOutcome::kHeldBySelf:
      case LockOutcome::kHeldByOther:
        break;
    }
    blocked = true;
    ++m.waiters;
    const bool woken = wait(WaitKind::kMutex, m.address, deadline, m.owner);
    --m.waiters;
    if (!woken && m.count != 0) {
      done(EventKind::kMutexTryLockFailed, m.number);
      if (Event* event = record(EventKind::kMutexTryLockFailed, pc)) {
        set_address(*event, m.address);
        event->flags = event_flags::kTimedOut;
      }
      return ETIMEDOUT;
    }
  }
}

int Execution::mutex_try_lock(SyncObject& m, std::uint64_t pc) {
  visible({EventKind::kMutexLock, MemoryOrder::kRelaxed, 0, m.address, pc});
  switch (sched::try_lock(m, scheduler_.current())) {
    case LockOutcome::kAcquired:
      mutex_taken(m, pc, false, false);
      return 0;
    case LockOutcome::kOwnerDied:
      mutex_taken(m, pc, false, false);
      return EOWNERDEAD;
    case LockOutcome::kNotRecoverable:
      return ENOTRECOVERABLE;
    default:
      break;
  }
  note_use(m, pc);
  done(EventKind::kMutexTryLockFailed, m.number);
  if (Event* event = record(EventKind::kMutexTryLockFailed, pc)) set_address(*event, m.address);
  return EBUSY;
}

int Execution::mutex_unlock(SyncObject& m, std::uint64_t pc) {
  visible({EventKind::kMutexUnlock, MemoryOrder::kRelaxed, 0, m.address, pc});
  const bool strict =
      m.type == sched::MutexType::kErrorCheck || m.type == sched::MutexType::kRecursive || m.robust;
  if (m.count == 1 && m.owner == scheduler_.current()) release(m);
  switch (sched::unlock(m, scheduler_.current())) {
    case UnlockOutcome::kStillHeld:
      break;
    case UnlockOutcome::kReleased:
      lock_released(m);
      if (m.waiters != 0) scheduler_.wake_all(WaitKind::kMutex, m.address);
      break;
    case UnlockOutcome::kNotLocked:
      if (strict) return EPERM;  // POSIX defines the error for these types; the program may rely on it
      misuse(FindingKind::kMutexMisuse, "unlock of a mutex that is not locked", m, pc);
    case UnlockOutcome::kNotOwner:
      if (strict) return EPERM;
      misuse(FindingKind::kMutexMisuse, "unlock of a mutex that another thread holds", m, pc);
  }
  done(EventKind::kMutexUnlock, m.number);
  if (Event* event = record(EventKind::kMutexUnlock, pc)) set_address(*event, m.address);
  return 0;
}

}  // namespace heddle::engine
