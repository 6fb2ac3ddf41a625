// A seed is part of what a user writes into a bug report: the stream behind it must not change.
#include "core/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace heddle {
namespace {

TEST(SplitMix64, FollowsTheReference) {
  std::uint64_t state = 1234567;
  EXPECT_EQ(splitmix64(state), 6457827717110365317u);
  EXPECT_EQ(splitmix64(state), 3203168211198807973u);
  EXPECT_EQ(splitmix64(state), 9817491932198370423u);
}

TEST(Random, StreamOfASeedNeverChanges) {
  Random zero(0);
  for (const std::uint64_t expected :
       {0x99ec5f36cb75f2b4u, 0xbf6e1f784956452au, 0x1a5f849d4933e6e0u, 0x6aa594f1262d2d2cu})
    EXPECT_EQ(zero.next(), expected);
  Random other(42);
  for (const std::uint64_t expected :
       {0x15780b2e0c2ec716u, 0x6104d9866d113a7eu, 0xae17533239e499a1u, 0xecb8ad4703b360a1u})
    EXPECT_EQ(other.next(), expected);
}

TEST(Random, ReseedStartsTheStreamAgain) {
  Random random(7);
  const std::uint64_t first = random.next();
  random.next();
  random.reseed(7);
  EXPECT_EQ(random.next(), first);
}

TEST(Random, BelowStaysBelow) {
  Random random(3);
  for (const std::uint32_t bound : {1u, 2u, 3u, 7u, 1000u, 0xffffffffu}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(bound), bound);
  }
}

// n = 60,000 draws from 6 values: a count is binomial with mean n/6 = 10,000 and standard deviation
// sqrt(n · 1/6 · 5/6) = 91.3. A fair generator leaves six deviations (548) for one of six values with a
// probability of 6 · 2·10⁻⁹; the seed is fixed, so the test either always passes or always fails.
TEST(Random, BelowIsUniform) {
  Random random(1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60'000; ++i) ++counts[random.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 548);
}

// The mean of n = 100,000 uniform numbers has the standard deviation sqrt(1/12/n) = 0.00091; six of them are
// 0.0055.
TEST(Random, UnitIsUniform) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double unit = random.unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    sum += unit;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.0055);
}

// Executions i of campaigns s get their seeds by mix(s, i): 2¹⁶ of 2⁶⁴ values collide with a probability of
// 2⁻³³.
TEST(Mix, NeighbouringExecutionsGetDistinctSeeds) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 256; ++seed) {
    for (std::uint64_t index = 0; index < 256; ++index) seen.insert(mix(seed, index));
  }
  EXPECT_EQ(seen.size(), 256u * 256u);
}

}  // namespace
}  // namespace heddle
