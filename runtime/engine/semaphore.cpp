// Semaphores and barriers.
#include <pthread.h>

#include <cerrno>
#include <climits>

#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::SyncObject;
using sched::Thread;
using sched::WaitKind;

int Execution::semaphore_wait(SyncObject& s, bool only_try, std::uint64_t deadline, std::uint64_t pc) {
  visible({EventKind::kSemaphoreWait, MemoryOrder::kRelaxed, 0, s.address, pc});
  while (s.count == 0) {
    if (only_try) {
      note_use(s, pc);
      return EAGAIN;
    }
    ++s.waiters;
    const bool woken = wait(WaitKind::kSemaphore, s.address, deadline);
    --s.waiters;
    if (self().interrupted) return EINTR;
    if (!woken && s.count == 0) return ETIMEDOUT;
  }
  --s.count;
  changed();
  acquire(s);
  note_use(s, pc);
  locks_.acquire(scheduler_.current(), s);
  done(EventKind::kSemaphoreWait, s.count);
  if (Event* e = record(EventKind::kSemaphoreWait, pc)) {
    set_address(*e, s.address);
    e->value = s.count;
  }
  return 0;
}

int Execution::semaphore_post(SyncObject& s, std::uint64_t pc) {
  visible({EventKind::kSemaphorePost, MemoryOrder::kRelaxed, 0, s.address, pc});
  // POSIX lets the call fail with EOVERFLOW; a count that has run away is a bug all the same.
  if (s.count == INT_MAX)
    misuse(FindingKind::kSemaphoreMisuse, "post of a semaphore whose value is SEM_VALUE_MAX already", s, pc);
  note_use(s, pc);
  release(s);
  locks_.release(scheduler_.current(), s);
  ++s.count;
  changed();
  // All that wait may try; who runs first takes it.
  if (s.waiters != 0) scheduler_.wake_all(WaitKind::kSemaphore, s.address);
  done(EventKind::kSemaphorePost, s.count);
  if (Event* e = record(EventKind::kSemaphorePost, pc)) {
    set_address(*e, s.address);
    e->value = s.count;
  }
  return 0;
}

int Execution::barrier_wait(SyncObject& b, std::uint64_t pc) {
  visible({EventKind::kBarrierWait, MemoryOrder::kRelaxed, 0, b.address, pc});
  note_use(b, pc);
  release(b);
  locks_.release(scheduler_.current(), b);
  b.users |= 1ull << index_of(scheduler_.current()) % 64;
  changed();
  const bool last = ++b.count == b.threshold;
  done(EventKind::kBarrierWait, b.count);
  if (Event* e = record(EventKind::kBarrierWait, pc)) {
    set_address(*e, b.address);
    e->value = b.count;
  }
  if (last) {
    // Everything before the barrier in any thread happens before everything after it in all; arrivals of the
    // next round must not count, so those who wait are told now.
    for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
      Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
      if (t.at_barrier != b.address) continue;
      t.at_barrier = 0;
      edges_.acquire(b.clock, t.id);
      locks_.acquire(t.id, b);
    }
    acquire(b);
    locks_.acquire(scheduler_.current(), b);
    edges_.empty(b.clock);
    b.count = 0;
    ++b.generation;
    scheduler_.wake_all(WaitKind::kBarrier, b.address);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  // Once let go, the thread no longer looks at the barrier: the serial thread may have destroyed it. A signal
  // is handled meanwhile and lets nobody pass (POSIX, pthread_barrier_wait).
  Thread& t = self();
  const Address barrier = b.address;
  for (t.at_barrier = barrier; t.at_barrier != 0;) wait(WaitKind::kBarrier, barrier);
  return 0;
}

}  // namespace heddle::engine
