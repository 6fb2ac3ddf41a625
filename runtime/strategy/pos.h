// Partial order sampling (Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018): every
// operation gets a random priority when its thread comes to it, and the highest goes first. Operations that
// race with the one performed get new priorities, so that each order of racing operations is drawn
// independently. Loads read any store that is allowed.
#pragma once

#include "runtime/strategy/follower.h"

namespace heddle::strategy {

class PosStrategy final : public Follower {
 public:
  std::uint32_t choose(const ChoicePoint& point) override;

 protected:
  void start() override { priorities_.clear(); }
  void after(const Operation& operation) override;

 private:
  ThreadTable<std::uint64_t> priorities_;  // of the thread's next operation; 0: not drawn yet
};

}  // namespace heddle::strategy
