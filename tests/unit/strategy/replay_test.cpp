#include "runtime/strategy/replay.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/strategy/points.h"

namespace heddle::strategy {
namespace {

ReplayStrategy replay_of(const std::vector<Choice>& log, bool exact) {
  ReplayStrategy strategy;
  strategy.set_log(log, exact);
  strategy.begin(0, 0, kNoView);
  return strategy;
}

TEST(ExactReplay, FollowsTheLog) {
  const std::vector<Choice> log = {thread_choice(2, 11), thread_choice(0, 12), thread_choice(5, 13)};
  ReplayStrategy strategy = replay_of(log, true);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1, 2}, 11)), 2u);
  EXPECT_EQ(strategy.choose(ThreadPoint({1, 0}, 12)), 1u);
  EXPECT_EQ(strategy.choose(ThreadPoint({5, 6}, 13)), 0u);
  EXPECT_FALSE(strategy.diverged());
  EXPECT_EQ(strategy.position(), 3u);
}

TEST(ExactReplay, AlternativesAreFoundByWhatTheyMean) {
  const std::vector<Choice> log = {thread_choice(2, 11)};
  ReplayStrategy strategy = replay_of(log, true);
  EXPECT_EQ(strategy.choose(ThreadPoint({2, 1, 0}, 11)), 0u);
}

TEST(ExactReplay, OtherAlternativesAreADivergence) {
  const std::vector<Choice> log = {thread_choice(1, 11), thread_choice(1, 12)};
  ReplayStrategy strategy = replay_of(log, true);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1}, 11)), 1u);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1}, 99)), 0u);
  EXPECT_TRUE(strategy.diverged());
  EXPECT_EQ(strategy.position(), 1u);  // the choice that did not fit
}

TEST(ExactReplay, AnotherKindIsADivergence) {
  const std::vector<Choice> log = {thread_choice(1, 11)};
  ReplayStrategy strategy = replay_of(log, true);
  strategy.choose(value_point(4, 11));
  EXPECT_TRUE(strategy.diverged());
}

TEST(ExactReplay, AMissingAlternativeIsADivergence) {
  const std::vector<Choice> log = {thread_choice(7, 11)};
  ReplayStrategy strategy = replay_of(log, true);
  EXPECT_EQ(strategy.choose(ThreadPoint({3, 4}, 11)), 0u);
  EXPECT_TRUE(strategy.diverged());
}

TEST(ExactReplay, MoreChoicesThanTheLogHasIsADivergence) {
  const std::vector<Choice> log;
  ReplayStrategy strategy = replay_of(log, true);
  EXPECT_EQ(strategy.choose(ThreadPoint({3, 4}, 11)), 0u);
  EXPECT_TRUE(strategy.diverged());
}

TEST(ExactReplay, DefaultsAreTakenAfterADivergence) {
  const std::vector<Choice> log = {thread_choice(1, 11), thread_choice(1, 12)};
  ReplayStrategy strategy = replay_of(log, true);
  strategy.choose(ThreadPoint({0, 1}, 99));
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1}, 11)), 0u);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1}, 12)), 0u);
  EXPECT_TRUE(strategy.diverged());
}

TEST(ExactReplay, TheHashIsComparedInTheBitsThatTheLogKeeps) {
  const std::vector<Choice> log = {thread_choice(1, 0xabc12345)};
  ReplayStrategy strategy = replay_of(log, true);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1}, 0xabc12345)), 1u);
  EXPECT_FALSE(strategy.diverged());
}

TEST(ExactReplay, BeginStartsOver) {
  const std::vector<Choice> log = {thread_choice(1, 11)};
  ReplayStrategy strategy = replay_of(log, true);
  strategy.choose(ThreadPoint({0, 1}, 99));
  strategy.begin(0, 0, kNoView);
  EXPECT_FALSE(strategy.diverged());
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1}, 11)), 1u);
}

TEST(GuidedReplay, TakesDefaultsUntilTheLogFitsAgain) {
  const std::vector<Choice> log = {thread_choice(2, 11), thread_choice(3, 12)};
  ReplayStrategy strategy = replay_of(log, false);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1}, 50)), 0u);     // thread 2 is not there yet
  EXPECT_EQ(strategy.choose(value_point(3, 51)), 0u);          // a choice that the log does not know
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1, 2}, 52)), 2u);  // other alternatives, but the wish is there
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 3}, 53)), 1u);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 3}, 54)), 0u);  // the log is used up
  EXPECT_FALSE(strategy.diverged());
  EXPECT_EQ(strategy.position(), 2u);
}

TEST(FindAlternative, StoresAreFoundByWriterAndOrdinal) {
  const ChoiceKey keys[] = {ChoiceKey::store(ThreadId{1}, 4), ChoiceKey::store(ThreadId{2}, 4),
                            ChoiceKey::store(ThreadId{1}, 5)};
  ChoicePoint point;
  point.kind = ChoiceKind::kReadsFrom;
  point.count = 3;
  point.keys = keys;
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(find_alternative(point, Choice::make(ChoiceKind::kReadsFrom, 0, keys[i])), i);
  EXPECT_EQ(
      find_alternative(point, Choice::make(ChoiceKind::kReadsFrom, 0, ChoiceKey::store(ThreadId{3}, 4))), 3u);
  EXPECT_EQ(find_alternative(point, Choice::make(ChoiceKind::kThread, 0, keys[0])), 3u);
}

}  // namespace
}  // namespace heddle::strategy
