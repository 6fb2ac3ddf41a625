#include "runtime/strategy/random.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/unit/strategy/points.h"

namespace heddle::strategy {
namespace {

std::vector<std::uint32_t> picks(std::uint64_t seed, std::uint64_t index) {
  RandomStrategy strategy;
  strategy.begin(seed, index, kNoView);
  std::vector<std::uint32_t> result;
  for (std::uint32_t count = 2; count < 66; ++count) result.push_back(strategy.choose(value_point(count)));
  return result;
}

TEST(RandomStrategy, IsAFunctionOfSeedAndIndex) {
  EXPECT_EQ(picks(1, 0), picks(1, 0));
  EXPECT_EQ(picks(1, 77), picks(1, 77));
}

// 64 choices among 2 to 65 alternatives: two of the 200 streams agree with a probability below 200² / 65!.
TEST(RandomStrategy, OtherExecutionsAndSeedsDiffer) {
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    seen.insert(picks(1, i));
    seen.insert(picks(2, i));
  }
  EXPECT_EQ(seen.size(), 200u);
}

TEST(RandomStrategy, BeginForgetsTheExecutionBefore) {
  RandomStrategy strategy;
  strategy.begin(5, 9, kNoView);
  const std::uint32_t first = strategy.choose(value_point(1'000'000));
  strategy.choose(value_point(3));
  strategy.begin(5, 9, kNoView);
  EXPECT_EQ(strategy.choose(value_point(1'000'000)), first);
}

// Each of 4 alternatives is missed by 200 draws with a probability of (3/4)²⁰⁰ = 10⁻²⁵.
TEST(RandomStrategy, TakesEveryAlternative) {
  RandomStrategy strategy;
  strategy.begin(1, 1, kNoView);
  const ThreadPoint point({0, 3, 4, 9}, 5);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(strategy.choose(point));
  EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace heddle::strategy
