// Uniform choice among threads and among stores: C11Tester's default plugin (§3).
#pragma once

#include "core/base/random.h"
#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

class RandomStrategy final : public Strategy {
 public:
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  std::uint32_t choose(const ChoicePoint& point) override;
  Random* uniform() override { return &random_; }

 private:
  Random random_;
};

}  // namespace heddle::strategy
