// HappensBefore: the edges between threads that synchronisation objects, descriptors, signals, libraries and
// enforced rules make, and the epoch in which the race detector sees the running thread.
//
// Owns: the clocks that these objects release into and acquire from, by number. 0 is the number of a clock
// that nobody has released into yet.
// Invariants:
//   - a number stays that of one object until forget(); numbers are not used again;
//   - after release() and enter_epoch() the detector is in the running thread's present epoch;
//   - while suspended (a thread was only woken to see what it does), nothing is acquired.
// Called by the mediator and by the parts that make edges.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "runtime/memory/memory_model.h"
#include "runtime/race/race_detector.h"
#include "runtime/sched/scheduler.h"
#include "runtime/strategy/strategy.h"

namespace heddle::engine {

class HappensBefore {
 public:
  HappensBefore(const sched::Scheduler& scheduler, memory::MemoryModel& memory, race::RaceDetector& race)
      : scheduler_(scheduler), memory_(memory), race_(race) {}

  void start();
  // Whom to tell of edges; nullptr: nobody.
  void set_observer(strategy::Observer* observer) { observer_ = observer; }
  void suspend(bool suspended) { suspended_ = suspended; }

  void acquire(std::uint32_t clock, ThreadId thread) {
    if (clock == 0 || suspended_) return;
    // (The detector reads the thread's clock where it lies.)
    memory_.acquire(thread, clocks_[clock]);
    if (observer_ != nullptr) observer_->acquired(thread, clock);
  }
  // By the running thread.
  void release(std::uint32_t& clock);
  // What was released into the clock so far is no more; the number stays.
  void empty(std::uint32_t clock) { memory_.forget(clocks_[clock]); }
  void forget(std::uint32_t& clock) {
    if (clock != 0) memory_.forget(clocks_[clock]);
    clock = 0;
  }
  // Who made the latest release into the clock, if that does not happen before what the running thread does
  // next; kNoThread if it does, and where it is not known.
  ThreadId unknown_owner(std::uint32_t clock) const {
    return memory_.unknown_owner(scheduler_.current(), clocks_[clock]);
  }

  // By the running thread.
  void fence(MemoryOrder order);

  // Tells the race detector who runs, and in which epoch. After every switch, and whenever a clock has changed.
  void enter_epoch();

 private:
  const sched::Scheduler& scheduler_;
  memory::MemoryModel& memory_;
  race::RaceDetector& race_;
  strategy::Observer* observer_ = nullptr;
  memory::SyncClock* clocks_ = nullptr;
  std::uint32_t count_ = 0;
  bool suspended_ = false;
};

}  // namespace heddle::engine
