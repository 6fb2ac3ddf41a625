// The choices of `random`, by a strategy that follows the execution: what it does can be told from what
// others do.
#pragma once

#include "runtime/strategy/follower.h"

namespace heddle::strategy {

class RandomWalkStrategy final : public Follower {
 public:
  std::uint32_t choose(const ChoicePoint& point) override {
    const std::uint32_t picked = below(point.count);
    if (point.kind == ChoiceKind::kThread) encounter(point.threads[picked]);
    return picked;
  }
};

}  // namespace heddle::strategy
