// Rules: what an execution is held to though the program does not see to it (core/trace/enforcement.h): one
// operation after another, a region that nobody comes between, an access under a lock, a stronger memory order.
//
// Owns: which operations that others wait for were performed, the clock of the one lock that regions and locked
// accesses stand for, which of the program's own locks are to be held, whom a lock is handed over to, and what the
// plain access under way is. A thread's region is kept with the thread.
// Invariants:
//   - a thread in a region leaves it at the operation after the region's last one, or when it has left the
//     function by another way, or begins the region again;
//   - the lock is never waited for: a region keeps its turn, and a plain access has none;
//   - one of the program's own locks is held for one operation, at whose turn it is free, or for a region that begins
//     there: nobody else takes it until the region ends.
// Asked by the mediator at each turn, but only where there are rules.
#pragma once

#include <cstdint>
#include <span>

#include "core/trace/enforcement.h"
#include "core/trace/run_spec.h"
#include "runtime/engine/happens_before.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/sync_object.h"
#include "runtime/sched/thread.h"

namespace heddle::engine {

class Rules {
 public:
  Rules(HappensBefore& edges, const sched::Scheduler& scheduler, const sched::SyncTable& sync)
      : edges_(edges), scheduler_(scheduler), sync_(sync) {}

  // `rules` stays valid.
  void start(std::span<const EnforcedRule> rules);
  bool any() const { return !rules_.empty(); }
  // Do places name callers? Then Thread::rule_site has to be known at each turn.
  bool name_callers() const { return name_callers_; }
  bool locks_plain_accesses() const;

  // The order that an atomic operation of this thread has here.
  MemoryOrder order_at(const sched::Thread& thread, std::uint64_t pc, MemoryOrder order) const;
  // Before the thread's turn: is it where nobody may come between?
  bool keeps_turn(sched::Thread& running, std::uint64_t pc);
  // The thread has its turn.
  void note_turn(sched::Thread& running, std::uint64_t pc);
  // Must the thread wait: for an operation that was not performed yet, for a thread's end, for a lock?
  bool must_wait(const sched::Thread& thread) const;

  // A thread was created by the running one, and ends. `site`: where the program called the library that did it.
  void note_created(const sched::Thread& creator, sched::Thread& made, std::uint64_t pc,
                    std::uint64_t site) const;
  void note_end(const sched::Thread& thread);
  // A thread begins to run.
  void note_start(sched::Thread& thread) const;
  // The lock that the running thread gives back while it waits here, besides `own`, which the wait itself gives back;
  // nullptr: none.
  sched::SyncObject* given_back_at(const sched::Thread& running, std::uint64_t pc, std::uint64_t site,
                                   Address own = 0) const;
  // Does a signal of the running thread wake all that wait?
  bool wakes_all(const sched::Thread& running, std::uint64_t pc) const;
  // Does a wait of the running thread go on only when what it was signalled for is still so?
  bool hands_over(const sched::Thread& running, std::uint64_t pc) const;
  // A broadcast: are those that wait here woken one at a time?
  bool wakes_one(const sched::Thread& waiter) const;
  // A waiter was signalled that is to get its lock next, and has it.
  void expect_hand_over(const sched::Thread& waiter, Address mutex);
  void handed_over(const sched::Thread& waiter);
  // Does what is freed here stay?
  bool keeps(const sched::Thread& running, std::uint64_t pc) const;

  // A plain access is over before anybody else has a turn: the lock need not be held, only to have been taken
  // and released, the latter after the detector has seen the access.
  void begin_plain_access(const sched::Thread& running, std::uint64_t pc, bool writes);
  bool is_in_plain_access() const { return plain_ != PlainRule::kNone; }
  bool is_atomic_access() const {
    return plain_ == PlainRule::kAtomic || plain_ == PlainRule::kAtomicReleases;
  }
  void end_plain_access() {
    if (plain_ != PlainRule::kAtomic) edges_.release(clock_);
    plain_ = PlainRule::kNone;
  }

 private:
  // What holds of the plain access under way.
  enum class PlainRule : std::uint8_t { kNone, kReleases, kAtomic, kAtomicReleases };
  static constexpr std::uint32_t kMostLocks = 16, kMostHandedOver = 16;

  bool is_met(std::uint32_t rule) const { return (met_[rule / 64] >> rule % 64 & 1) != 0; }
  bool may_not_begin(const sched::Thread& thread) const;
  bool is_to_be_held(Address lock) const;
  bool is_lock_taken(const sched::Thread& by_another_than) const;
  void note_lock(const sched::Thread& running);
  template <typename Do>
  void for_each_lock(Do&& act) const;

  HappensBefore& edges_;
  const sched::Scheduler& scheduler_;
  const sched::SyncTable& sync_;
  std::span<const EnforcedRule> rules_;
  std::uint64_t met_[(kMostRules + 63) / 64] = {};  // kAfter: by rule, whether `other` was performed
  std::uint32_t performed_ = 0;  // how often kStartAfter's `other` was performed, of all rules
  std::uint32_t performed_at_[kMostRules] = {};  // by rule, the latest of these
  std::uint32_t clock_ = 0;
  PlainRule plain_ = PlainRule::kNone;
  bool name_callers_ = false;
  std::uint32_t lock_count_ = 0, handed_over_count_ = 0;
  Address locks_[kMostLocks] = {};  // kHoldLock
  ThreadId held_by_ = kNoThread;    // the thread whose region holds all of these
  struct HandedOver {
    ThreadId thread = kNoThread;
    Address mutex = 0;
  };
  HandedOver handed_over_[kMostHandedOver];
};

}  // namespace heddle::engine
