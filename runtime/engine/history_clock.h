// HistoryClock: the moments of operations on recorded objects (<heddle/lin.hpp>). An operation's time is as
// short as can be. It is called when its thread performs its first visible operation, and not before that waits
// for its turn; it has returned with the last one. No choice, event or happens-before edge comes of it.
//
// Owns: the number of the latest moment.
// Invariant: moments of one execution have different numbers, which ascend in the order of execution.
#pragma once

#include <cstdint>

#include "runtime/sched/thread.h"

namespace heddle::engine {

class HistoryClock {
 public:
  // The thread's next visible operation is the first of its call.
  static void call(sched::Thread& thread, sched::HistoryMoment* moment) { thread.call_moment = moment; }
  // The thread has its turn. `choices`: how many were made so far.
  void begin_call(sched::Thread& thread, std::uint32_t choices) {
    note(*thread.call_moment, choices);
    thread.call_moment = nullptr;
  }
  void return_from(sched::Thread& thread, sched::HistoryMoment& moment, std::uint32_t choices) {
    if (thread.call_moment != nullptr) begin_call(thread, choices);  // it performed no visible operation
    note(moment, choices);
  }

 private:
  void note(sched::HistoryMoment& moment, std::uint32_t choices) { moment = {++latest_, choices}; }

  std::uint64_t latest_ = 0;
};

}  // namespace heddle::engine
