// A random walk in which threads run on: the thread that was chosen goes on for a geometric number of operations, as
// on a machine, where switches are rare. Then queues fill up and drain, and a race that needs a full one shows; a
// walk that switches at every operation never lets a producer get that far ahead.
//
// How long a run is on average is a parameter, or drawn for each execution from several scales, since no one knows
// how far ahead a thread has to be. A thread that yields, or reads the same again and again, ends its run. Half of the
// executions read the newest stores only: what takes long runs is seldom a stale read as well.
//
// This one follows the execution, as members of `auto` do; runs_on.h is the same for a strategy of its own.
#pragma once

#include "runtime/strategy/follower.h"

namespace heddle::strategy {

class LongRunsStrategy final : public Follower {
 public:
  // `mean`: operations of a run on average; 0: drawn for each execution.
  explicit LongRunsStrategy(std::uint32_t mean) : mean_(mean) {}
  void set_mean(std::uint32_t mean) { mean_ = mean; }
  std::uint32_t choose(const ChoicePoint& point) override;

 private:
  void start() override;
  void after(const Operation& operation) override;
  std::uint32_t choose_thread(const ChoicePoint& point);

  std::uint32_t mean_;
  std::uint32_t scale_ = 1;  // of this execution
  std::uint32_t left_ = 0;   // operations until the run ends
  bool reads_newest_ = false;
};

}  // namespace heddle::strategy
