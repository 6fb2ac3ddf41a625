#include "runtime/strategy/exhaustive.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/unit/strategy/points.h"

namespace heddle::strategy {
namespace {

// A program with three choices, the number of alternatives of the last depending on the picks before.
std::vector<std::uint32_t> run(ExhaustiveStrategy& strategy) {
  strategy.begin(0, 0, kNoView);
  std::vector<std::uint32_t> picks;
  picks.push_back(strategy.choose(value_point(2, 1)));
  picks.push_back(strategy.choose(value_point(3, 2)));
  if (picks[0] == 1) picks.push_back(strategy.choose(value_point(2 + picks[1], 3 + picks[1])));
  return picks;
}

TEST(Exhaustive, TriesEveryExecutionOnce) {
  ExhaustiveStrategy strategy;
  std::set<std::vector<std::uint32_t>> seen;
  std::uint32_t executions = 0;
  while (strategy.prepare_next()) {
    EXPECT_TRUE(seen.insert(run(strategy)).second);
    ++executions;
  }
  EXPECT_EQ(executions, 3u + 2 + 3 + 4);
  EXPECT_TRUE(strategy.explored_all());
}

TEST(Exhaustive, TheFirstExecutionIsTheUnsurprisingOne) {
  ExhaustiveStrategy strategy;
  ASSERT_TRUE(strategy.prepare_next());
  strategy.begin(0, 0, kNoView);
  ChoicePoint point = value_point(5);
  point.fallback = 3;
  EXPECT_EQ(strategy.choose(point), 3u);
}

TEST(Exhaustive, AProgramThatDoesNotRepeatItselfIsADivergence) {
  ExhaustiveStrategy strategy;
  ASSERT_TRUE(strategy.prepare_next());
  strategy.begin(0, 0, kNoView);
  strategy.choose(value_point(2, 1));
  strategy.choose(value_point(2, 2));
  ASSERT_TRUE(strategy.prepare_next());
  strategy.begin(0, 1, kNoView);
  strategy.choose(value_point(2, 99));
  EXPECT_TRUE(strategy.diverged());
  while (strategy.prepare_next()) {
    strategy.begin(0, 2, kNoView);
    strategy.choose(value_point(2, 1));
  }
  EXPECT_FALSE(strategy.explored_all());
}

TEST(Exhaustive, OnlyTheLogRepeatsAnExecution) { EXPECT_FALSE(ExhaustiveStrategy().repeatable_by_index()); }

}  // namespace
}  // namespace heddle::strategy
