// Condition variables: a wait releases the mutex and begins in one step; who is woken, and whether a wait
// ends for no reason, are choices ([thread.condition.general], POSIX pthread_cond_wait).
#include <cerrno>

#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/sched/mutex.h"

namespace heddle::engine {

using sched::SyncObject;
using sched::Thread;
using sched::WaitKind;

namespace {

// Does a thread wait, one that will wake for no reason included?
bool is_waited_on(const sched::Scheduler& scheduler, const SyncObject& c) {
  if (scheduler.waiters(WaitKind::kCondition, c.address) != 0) return true;
  for (std::uint32_t i = 0; i < scheduler.thread_count(); ++i) {
    const Thread& t = scheduler.thread(ThreadId{static_cast<std::uint16_t>(i)});
    if (t.spurious && t.pending.kind == EventKind::kCondWake && t.pending.address == c.address) return true;
  }
  return false;
}

}  // namespace

int Execution::condition_wait(SyncObject& c, SyncObject& m, std::uint64_t pc, std::uint64_t deadline) {
  visible({EventKind::kCondWait, MemoryOrder::kRelaxed, 0, c.address, pc});
  Thread& t = self();
  if (m.count == 0 || m.owner != t.id) {
    if (m.type == sched::MutexType::kErrorCheck || m.type == sched::MutexType::kRecursive || m.robust)
      return EPERM;
    c.partner = m.address;
    misuse(
        FindingKind::kCondMisuse,
        m.count == 0 ? "wait with a mutex that is not locked" : "wait with a mutex that another thread holds",
        c, pc);
  }
  if (c.partner != m.address && is_waited_on(scheduler_, c)) {
    misuse(FindingKind::kCondMisuse, "threads wait on one condition variable with different mutexes", c, pc);
  }
  c.partner = m.address;
  // Only the begin of the wait: once woken, a waiter no longer looks at the condition variable, which may be
  // destroyed by then (POSIX, pthread_cond_destroy).
  note_use(c, pc);
  if (Event* e = record(EventKind::kCondWait, pc)) {
    set_address(*e, c.address);
    e->value = m.address;
  }
  done(EventKind::kCondWait, c.number);

  SyncObject* given_back =
      enforcing_ ? rules_.given_back_at(t, pc, stacks_.innermost_place(t), m.address) : nullptr;
  if (given_back != nullptr) mutex_unlock(*given_back, pc);
  // Release and begin to wait with no scheduling point between: a signal cannot fall into the gap.
  const std::uint32_t depth = m.count;
  release(m);
  m.count = 0;
  m.owner = kNoThread;
  lock_released(m);
  if (m.waiters != 0) scheduler_.wake_all(WaitKind::kMutex, m.address);
  t.wait_mutex = m.address;
  bool spurious = false;
  // POSIX: ETIMEDOUT if the time has passed at the time of the call, and nothing else.
  const bool hands_over = enforcing_ && rules_.hands_over(t, pc);
  if (deadline > scheduler_.now() && !hands_over && wakes_spuriously()) {
    spurious = true;
    // The wake-up for no reason may come at any later moment: the thread simply stays runnable.
    t.pending = {EventKind::kCondWake, MemoryOrder::kRelaxed, 0, c.address, pc};
    t.spurious = true;
    run_others();
    t.spurious = false;
  } else {
    wait(WaitKind::kCondition, c.address, deadline);
  }
  const bool timed_out = !spurious && t.timed_out;
  t.wait_mutex = 0;
  t.timed_out = false;
  // It was taken before the other one, and is again.
  if (given_back != nullptr) mutex_lock(*given_back, pc);
  const int lock_error = mutex_lock(m, pc);
  if (hands_over) rules_.handed_over(t);
  m.count = depth;
  done(EventKind::kCondWake, c.number);
  if (Event* e = record(EventKind::kCondWake, pc)) {
    set_address(*e, c.address);
    e->flags = timed_out ? event_flags::kTimedOut : spurious ? event_flags::kSpurious : 0;
  }
  if (lock_error != 0) return lock_error;
  return timed_out ? ETIMEDOUT : 0;
}

// Which of the threads that wait here is woken is a choice.
Thread* Execution::choose_waiter(WaitKind kind, Address object, std::uint32_t bits) {
  constexpr std::uint32_t kMost = 64;
  ChoiceKey keys[kMost];
  Thread* waiters[kMost];
  std::uint32_t count = 0;
  scheduler_.for_each_blocked([&](Thread& t) {
    if (t.wait == kind && t.wait_object == object && (t.wait_bits & bits) != 0 && count < kMost) {
      keys[count] = ChoiceKey::thread(t.id);
      waiters[count++] = &t;
    }
  });
  if (count == 0) return nullptr;
  const std::uint32_t prescribed = waiter_in_order(waiters, keys, count);
  if (prescribed != ElementOrders::kNone) return waiters[prescribed];
  return waiters[choices_.choose(ChoiceKind::kWakeUp, count, 0, keys)];
}

// What a signal announces is what its thread has done: under a lock that it holds or has held last, or, if it
// has made an atomic store since, up to now. Whoever takes that lock later sees all of it.
void Execution::note_early(SyncObject& object, std::uint64_t pc) {
  const Thread& t = self();
  object.early_at = place(pc);
  const bool is_sealed = t.unlock_time != 0 && memory_.stores_of(t.id) == t.unlock_stores;
  object.early_time = is_sealed && locks_.held(t.id).empty() ? t.unlock_time : memory_.epoch(t.id).time;
}

void Execution::note_heard(SyncObject& object, const Thread& woken, std::uint64_t pc) {
  object.heard_at = place(pc);
  object.heard_by = woken.id;
  object.heard_ticket = scheduler_.next_ticket();
}

// Are those that wait woken one at a time (core/trace/enforcement.h)?
bool Execution::wakes_one(const SyncObject& c) {
  bool one = false;
  scheduler_.for_each_blocked([&](Thread& t) {
    one = one || (t.wait == WaitKind::kCondition && t.wait_object == c.address && rules_.wakes_one(t));
  });
  return one;
}

int Execution::condition_signal(SyncObject& c, std::uint64_t pc) {
  if (enforcing_ && rules_.wakes_all(self(), pc)) return condition_broadcast(c, pc);
  visible({EventKind::kCondSignal, MemoryOrder::kRelaxed, 0, c.address, pc});
  note_use(c, pc);
  Thread* woken = choose_waiter(WaitKind::kCondition, c.address);
  if (woken == nullptr) {
    note_early(c, pc);
  } else {
    note_heard(c, *woken, pc);
    if (enforcing_) rules_.expect_hand_over(*woken, woken->wait_mutex);
    scheduler_.make_runnable(*woken);
    woken->pending = {EventKind::kCondWake, MemoryOrder::kRelaxed, 0, c.address, woken->last_pc};
  }
  done(EventKind::kCondSignal, woken != nullptr ? index_of(woken->id) + 1 : 0);
  if (Event* e = record(EventKind::kCondSignal, pc)) {
    set_address(*e, c.address);
    e->other = woken != nullptr ? woken->id : kNoThread;
  }
  return 0;
}

int Execution::condition_broadcast(SyncObject& c, std::uint64_t pc) {
  if (enforcing_ && wakes_one(c)) return condition_signal(c, pc);
  visible({EventKind::kCondBroadcast, MemoryOrder::kRelaxed, 0, c.address, pc});
  note_use(c, pc);
  if (enforcing_) {
    scheduler_.for_each_blocked([&](Thread& t) {
      if (t.wait == WaitKind::kCondition && t.wait_object == c.address)
        rules_.expect_hand_over(t, t.wait_mutex);
    });
  }
  const std::uint32_t woken = scheduler_.wake_all(WaitKind::kCondition, c.address);
  note_early(c, pc);
  done(EventKind::kCondBroadcast, woken);
  if (Event* e = record(EventKind::kCondBroadcast, pc)) {
    set_address(*e, c.address);
    e->value = woken;
  }
  return 0;
}

}  // namespace heddle::engine
