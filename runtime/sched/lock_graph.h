// Which locks each thread holds, and the order in which locks were taken while others were held. A circle in
// that order is a deadlock that another schedule could reach (Havelund, "Using Runtime Analysis to Guide
// Model Checking of Java Programs", 2000), unless (Bensalem and Havelund, "Dynamic Deadlock Analysis of
// Multi-threaded Programs", 2005)
//   - one thread alone takes all the locks of the circle,
//   - a lock held outside of all of them, the gate, keeps its parts apart, or
//   - thread creation, joins, barriers or semaphores put one part before another.
// Order that comes from the locks themselves does not count: it is an accident of this schedule. Order that
// the program makes by atomic accesses is not known here; that is why a circle is a warning and no bug.
//
// Bounded: threads from number 64 on, locks beyond the 16th that one thread holds, and orders beyond the
// first 4096 are not looked at.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "runtime/sched/sync_object.h"

namespace heddle::sched {

struct HeldLock {
  SyncObject* lock = nullptr;
  std::uint32_t serial = 0;
  bool shared = false;    // held for reading
  bool is_named = false;  // code that was built for it has told by which element it was taken
  CodePlace taken;
};

// `thread` took `second` while it held `first`.
struct LockOrder {
  static constexpr std::uint32_t kMaxGates = 15;
  HeldLock first;
  HeldLock second;
  ThreadId thread = kNoThread;
  std::uint32_t time = 0;    // the thread's, in the order that locks have no part in
  std::uint32_t before = 0;  // row of what happened before, at this moment
  std::uint32_t gate_count = 0;
  std::uint32_t gates[kMaxGates] = {};  // serials; the lowest bit says whether held for reading
};

struct LockCycle {
  static constexpr std::uint32_t kMaxLength = 6;
  std::uint32_t length = 0;
  const LockOrder* orders[kMaxLength] = {};
};

class LockGraph {
 public:
  static constexpr std::uint32_t kThreads = 64;
  static constexpr std::uint32_t kMaxHeld = 16;

  void start();

  // The thread got the lock. `could_wait`: it would have waited for it for as long as need be, so this is
  // part of a possible deadlock. The answer is valid until the next call; nullptr: no new circle.
  const LockCycle* acquired(ThreadId thread, SyncObject& lock, bool shared, bool could_wait,
                            const CodePlace& place) {
    Held& h = held_[index_of(thread)];
    if (h.count != 0) return acquired_beside_others(thread, lock, shared, could_wait, place);
    h.locks[h.count++] = {&lock, lock.serial, shared, false, place};
    return nullptr;
  }
  void released(ThreadId thread, const SyncObject& lock) {
    Held& h = held_[index_of(thread)];
    if (h.count == 1 && h.locks[0].lock == &lock) {
      h.count = 0;
    } else {
      released_beside_others(h, lock);
    }
  }
  std::span<const HeldLock> held(ThreadId thread) const;
  // The lock that the thread holds at this address, if it does, has a name until it is released.
  void name(ThreadId thread, Address lock);

  // Order between threads that no schedule changes.
  void created(ThreadId parent, ThreadId child);
  void joined(ThreadId joiner, ThreadId ended) { merge(row(ended), row(joiner)); }
  void release(ThreadId thread, SyncObject& object);
  void acquire(ThreadId thread, const SyncObject& object);

 private:
  static constexpr std::uint32_t kOrders = 4096;
  static constexpr std::uint32_t kRows = 1u << 14;
  static constexpr std::uint32_t kReported = 64;
  struct Row {
    std::uint32_t time[kThreads];
  };
  struct Held {
    std::uint32_t count;
    HeldLock locks[kMaxHeld];
  };

  const LockCycle* acquired_beside_others(ThreadId thread, SyncObject& lock, bool shared, bool could_wait,
                                          const CodePlace& place);
  static void released_beside_others(Held& h, const SyncObject& lock);
  static bool tracked(ThreadId t) { return index_of(t) < kThreads; }
  std::uint32_t row(ThreadId t) const { return tracked(t) ? index_of(t) : kThreads; }
  std::uint32_t new_row() { return row_count_ < kRows ? row_count_++ : 0; }
  void merge(std::uint32_t from, std::uint32_t into);
  const LockOrder* add(ThreadId thread, const HeldLock& first, const HeldLock& second, const Held& all);
  bool extend(LockCycle& cycle);
  bool may_meet(const LockOrder& a, const LockOrder& b) const;
  bool is_new(const LockCycle& cycle);

  Held* held_ = nullptr;  // by thread
  Row* rows_ = nullptr;   // the first kThreads are the threads' own, one after them is nobody's
  LockOrder* orders_ = nullptr;
  std::uint32_t row_count_ = kThreads + 1;
  std::uint32_t order_count_ = 0;
  std::uint32_t steps_left_ = 0;
  std::uint32_t reported_count_ = 0;
  std::uint64_t reported_[kReported] = {};
  LockCycle cycle_;
};

}  // namespace heddle::sched
