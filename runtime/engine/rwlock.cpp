// Readers-writer locks. Readers that unlock synchronise with later writers, not with each other.
#include <cerrno>

#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::SyncObject;
using sched::WaitKind;

namespace {

std::uint32_t tracked(const SyncObject& lock) {
  return lock.count < sched::kTrackedReaders ? lock.count : sched::kTrackedReaders;
}

// The place of the thread among the readers, or the number of tracked readers.
std::uint32_t reader_at(const SyncObject& lock, ThreadId t) {
  std::uint32_t i = 0;
  while (i < tracked(lock) && lock.readers[i] != t) ++i;
  return i;
}

}  // namespace

int Execution::rwlock_lock(SyncObject& l, bool write, bool only_try, std::uint64_t deadline,
                           std::uint64_t pc) {
  const EventKind kind = write ? EventKind::kRwlockWriteLock : EventKind::kRwlockReadLock;
  const ThreadId me = scheduler_.current();
  visible({kind, MemoryOrder::kRelaxed, 0, l.address, pc});
  bool blocked = false;
  const auto is_free = [&] {
    if (l.owner != kNoThread) return false;
    if (write) return l.count == 0;
    // PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP; other kinds let readers in as glibc does.
    return !l.prefers_writers || scheduler_.waiters(WaitKind::kWriteLock, l.address) == 0;
  };
  while (!is_free()) {
    if (only_try) {
      note_use(l, pc);
      return EBUSY;
    }
    if (l.owner == me) return EDEADLK;
    // A reader that wants to write waits for itself; otherwise one holder is named, any of several readers.
    const ThreadId holder = l.owner != kNoThread            ? l.owner
                            : reader_at(l, me) < tracked(l) ? me
                            : l.count == 1                  ? l.readers[0]
                                                            : kNoThread;
    blocked = true;
    ++l.waiters;
    const bool woken = wait(write ? WaitKind::kWriteLock : WaitKind::kReadLock, l.address, deadline, holder);
    --l.waiters;
    if (!woken && !is_free()) {
      // Readers may have stood back for this writer.
      if (write && l.prefers_writers) scheduler_.wake_all(WaitKind::kReadLock, l.address);
      return ETIMEDOUT;
    }
  }
  if (write) {
    l.owner = me;
    edges_.acquire(l.reader_clock, me);
  } else {
    if (l.count < sched::kTrackedReaders) l.readers[l.count] = me;
    ++l.count;
  }
  acquire(l);
  note_use(l, pc);
  done(kind, l.number);
  if (Event* e = record(kind, pc)) {
    set_address(*e, l.address);
    e->flags = blocked ? event_flags::kBlocked : 0;
  }
  lock_taken(l, !write, !only_try && deadline == sched::kNoDeadline, pc);
  return 0;
}

int Execution::rwlock_unlock(SyncObject& l, std::uint64_t pc) {
  visible({EventKind::kRwlockUnlock, MemoryOrder::kRelaxed, 0, l.address, pc});
  const ThreadId me = scheduler_.current();
  note_use(l, pc);
  if (l.owner == me) {
    release(l);
    l.owner = kNoThread;
  } else if (l.count == 0) {
    misuse(FindingKind::kRwlockMisuse,
           l.owner == kNoThread ? "unlock of an rwlock that is not locked"
                                : "unlock of an rwlock that another thread holds",
           l, pc);
  } else {
    const std::uint32_t at = reader_at(l, me);
    if (at == tracked(l) && l.count <= sched::kTrackedReaders) {
      misuse(FindingKind::kRwlockMisuse, "unlock of an rwlock that the thread does not hold", l, pc);
    }
    edges_.release(l.reader_clock);
    --l.count;
    if (at < tracked(l) + 1) l.readers[at] = l.readers[tracked(l)];
  }
  lock_released(l);
  if (l.waiters != 0) {
    scheduler_.wake_all(WaitKind::kReadLock, l.address);
    scheduler_.wake_all(WaitKind::kWriteLock, l.address);
  }
  done(EventKind::kRwlockUnlock, l.number);
  if (Event* e = record(EventKind::kRwlockUnlock, pc)) set_address(*e, l.address);
  return 0;
}

}  // namespace heddle::engine
