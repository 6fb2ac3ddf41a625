// Rules: what an execution is held to though the program does not see to it (core/trace/enforcement.h): one
// operation after another, a region that nobody comes between, an access under a lock, a stronger memory order.
//
// Owns: which operations that others wait for were performed, the clock of the one lock that regions and locked
// accesses stand for, and whether the plain access under way is under that lock. A thread's region is kept with
// the thread.
// Invariants:
//   - a thread in a region leaves it at the operation after the region's last one, or when it has left the
//     function by another way, or begins the region again;
//   - the lock is never waited for: a region keeps its turn, and a plain access has none.
// Asked by the mediator at each turn, but only where there are rules.
#pragma once

#include <cstdint>
#include <span>

#include "core/trace/enforcement.h"
#include "core/trace/run_spec.h"
#include "runtime/engine/happens_before.h"
#include "runtime/sched/thread.h"

namespace heddle::engine {

class Rules {
 public:
  explicit Rules(HappensBefore& edges) : edges_(edges) {}

  // `rules` stays valid.
  void start(std::span<const EnforcedRule> rules) { rules_ = rules; }
  bool any() const { return !rules_.empty(); }
  bool locks_plain_accesses() const;

  // The order that an atomic operation of this thread has here.
  MemoryOrder order_at(const sched::Thread& thread, std::uint64_t pc, MemoryOrder order) const;
  // Before the thread's turn: is it where nobody may come between?
  bool keeps_turn(sched::Thread& running, std::uint64_t pc);
  // It has its turn.
  void note_turn(sched::Thread& running, std::uint64_t pc);
  // Must the thread wait for an operation that was not performed yet?
  bool must_wait(const sched::Thread& thread) const;

  // A plain access is over before anybody else has a turn: the lock need not be held, only to have been taken
  // and released, the latter after the detector has seen the access.
  void lock_plain_access(const sched::Thread& running, std::uint64_t pc);
  bool is_under_plain_lock() const { return under_plain_lock_; }
  void unlock_plain_access() {
    edges_.release(clock_);
    under_plain_lock_ = false;
  }

 private:
  HappensBefore& edges_;
  std::span<const EnforcedRule> rules_;
  std::uint64_t met_ = 0;  // kAfter: by rule, whether `other` was performed
  std::uint32_t clock_ = 0;
  bool under_plain_lock_ = false;
};

}  // namespace heddle::engine
