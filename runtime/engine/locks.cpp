// What all locks have in common: who holds them, in which order they were taken, and what must not happen to
// an object that is in use.
#include <initializer_list>

#include "core/base/text_buffer.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::HeldLock;
using sched::SyncKind;
using sched::SyncObject;
using sched::Thread;
using sched::WaitKind;

FindingKind misuse_of(SyncKind kind) {
  switch (kind) {
    case SyncKind::kCondition:
      return FindingKind::kCondMisuse;
    case SyncKind::kRwlock:
      return FindingKind::kRwlockMisuse;
    case SyncKind::kBarrier:
      return FindingKind::kBarrierMisuse;
    case SyncKind::kSemaphore:
      return FindingKind::kSemaphoreMisuse;
    default:
      return FindingKind::kMutexMisuse;
  }
}

namespace {

// Of an object, for the race detector: the smallest one, a spin lock, is an int.
constexpr std::uint64_t kMarkedBytes = 4;

enum class Use : std::uint8_t { kNone, kHeld, kWaitedFor };

Use use_of(const sched::Scheduler& scheduler, const SyncObject& o) {
  switch (o.kind) {
    case SyncKind::kMutex:
    case SyncKind::kSpinLock:
    case SyncKind::kRwlock:
      if (o.count != 0 || o.owner != kNoThread) return Use::kHeld;
      return o.waiters != 0 ? Use::kWaitedFor : Use::kNone;
    case SyncKind::kCondition:
      // POSIX allows destruction right after a broadcast: only threads that are still blocked count.
      return scheduler.waiters(WaitKind::kCondition, o.address) != 0 ? Use::kWaitedFor : Use::kNone;
    case SyncKind::kBarrier:
      return o.count != 0 ? Use::kWaitedFor : Use::kNone;
    case SyncKind::kSemaphore:
      return o.waiters != 0 ? Use::kWaitedFor : Use::kNone;
    default:
      return Use::kNone;
  }
}

void report_lock_order(const Scene& scene, const sched::LockCycle& cycle) {
  FindingBuilder finding(
      scene, FindingKind::kLockOrderInversion,
      "threads take the same locks in different orders; another schedule would end in a deadlock");
  for (std::uint32_t i = 0; i < cycle.length; ++i) {
    const sched::LockOrder& order = *cycle.orders[i];
    const Thread& t = scene.thread(order.thread);
    for (const HeldLock* lock : {&order.first, &order.second}) {
      const PartRole role = lock == &order.first ? PartRole::kHolds : PartRole::kHere;
      finding.object_part(role, t, lock->taken.pc, *lock->lock).stack = lock->taken.stack;
    }
  }
  finding.cite_creations();
}

}  // namespace

void Execution::lock_taken(SyncObject& lock, bool shared, bool could_wait, std::uint64_t pc) {
  lock.where_pc = pc;
  lock.where_stack = events_.is_on() ? stack_of(self()) : kEmptyStack;
  if (const sched::LockCycle* cycle = locks_.acquired(scheduler_.current(), lock, shared, could_wait,
                                                      {pc, lock.where_stack, scheduler_.current()})) {
    report_lock_order(scene_, *cycle);
  }
}

// [thread.mutex.class]/3 forbids it; POSIX leaves the mutex locked for ever, unless it is robust.
void Execution::leave_locks() {
  if (sync_.count() == 0) return;  // no lock was ever used: a page that need not be touched
  const ThreadId me = scheduler_.current();
  while (!locks_.held(me).empty()) {
    const HeldLock held = locks_.held(me).back();
    SyncObject& lock = *held.lock;
    locks_.released(me, lock);
    if (lock.serial != held.serial) continue;
    if (lock.robust) {
      release(lock);
      lock.count = 0;
      lock.owner = kNoThread;
      lock.inconsistent = true;
      scheduler_.wake_all(WaitKind::kMutex, lock.address);
      continue;
    }
    FindingBuilder finding(scene_, FindingKind::kLockHeldAtThreadEnd,
                           "a thread ends and still holds a lock: nobody can take it any more");
    finding.object_part(PartRole::kHere, self(), held.taken.pc, lock).stack = held.taken.stack;
    finding.cite_creations();
  }
}

void Execution::check_unused(const SyncObject& object, const char* deed, std::uint64_t pc) {
  const Use use = use_of(scheduler_, object);
  if (use == Use::kNone) return;
  TextBuffer<160> text;
  text << deed << " " << sched::article_of(object.kind) << sched::noun_of(object.kind)
       << (use == Use::kHeld ? " that is locked" : " that a thread waits for");
  misuse(misuse_of(object.kind), text.c_str(), object, pc);
}

void Execution::destroy_object(SyncObject& object, std::uint64_t pc) {
  check_unused(object, "destruction of", pc);
  object.destroyed = true;
  object.gone = place(pc);
  const race::Race* race =
      plain_.detecting() ? race_.on_end(object.address, kMarkedBytes, pc, access_stack(pc)) : nullptr;
  if (race != nullptr) {
    report_race(*race);
  } else {
    check_last_unlock(object, race::Deed::kEnd, pc);
  }
}

void Execution::object_made(const SyncObject& object, std::uint64_t pc) {
  check_not_freed(object.address, kMarkedBytes, pc);
  if (!plain_.detecting() || !is_program_call(pc)) return;
  constexpr auto kWrite = race::AccessOp::kWrite;
  if (const race::Race* race = race_.on_range(kWrite, object.address, kMarkedBytes, pc, access_stack(pc)))
    report_race(*race);
}

}  // namespace heddle::engine
