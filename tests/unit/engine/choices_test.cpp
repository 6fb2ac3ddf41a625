#include "runtime/engine/choices.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/unit/engine/main_alone.h"
#include "tests/unit/engine/small_channel.h"

namespace heddle::engine {
namespace {

struct BrokenOff {
  Ending ending;
};

class ChoosingHost final : public ChoiceHost {
 public:
  void at_first_choice() override { ++first_choices; }
  [[noreturn]] void break_off(Ending ending) override { throw BrokenOff{ending}; }
  int first_choices = 0;
};

// Takes the last alternative, unless it draws.
class LastStrategy final : public strategy::Strategy {
 public:
  void begin(std::uint64_t seed, std::uint64_t index, const strategy::View&) override {
    random.reseed(mix(seed, index));
  }
  std::uint32_t choose(const strategy::ChoicePoint& point) override {
    points.push_back(point);
    return draws ? random.below(point.count) : point.count - 1;
  }
  Random* uniform() override { return draws ? &random : nullptr; }
  bool abandoned() const override { return has_enough; }

  bool draws = false;
  bool has_enough = false;
  Random random;
  std::vector<strategy::ChoicePoint> points;
};

class NoView final : public strategy::View {
 public:
  strategy::NextOperation next_operation(ThreadId) const override { return {}; }
  std::uint32_t unfinished_threads() const override { return 1; }
  std::uint32_t latest_stores(std::uint32_t*, std::uint32_t) const override { return 0; }
  std::uint32_t nearest_store(ChoiceKey) const override { return 0; }
  bool store_precedes(const strategy::Location&, ChoiceKey, ChoiceKey) const override { return false; }
};

class ChoicesTest : public ::testing::Test {
 protected:
  void begin(bool draws = false) {
    fairness_.start({1000, 1000, false});
    strategy_.draws = draws;
    choices_.start(channel_.channel(), &strategy_, {2, 1, true});
    choices_.begin(1, 2, view_);
  }
  Choice logged(std::uint32_t i) const { return channel_.channel().choices()[i]; }

  testing::SmallChannel channel_;
  testing::MainAlone alone_;
  memory::MemoryModel memory_;
  std::unique_ptr<SpinWatch> watch_ = std::make_unique<SpinWatch>();
  Fairness fairness_{*watch_};
  ChoosingHost host_;
  NoView view_;
  LastStrategy strategy_;
  Choices choices_{alone_.scheduler(), memory_, fairness_, host_};
};

TEST_F(ChoicesTest, WhatHasOneAlternativeIsNoChoice) {
  begin();
  EXPECT_EQ(choices_.choose(ChoiceKind::kValue, 1, 0), 0u);
  EXPECT_EQ(choices_.count(), 0u);
}

TEST_F(ChoicesTest, PickIsLoggedByItsMeaning) {
  begin();
  const ChoiceKey keys[] = {ChoiceKey::thread(ThreadId{3}), ChoiceKey::thread(ThreadId{5})};
  EXPECT_EQ(choices_.choose(ChoiceKind::kWakeUp, 2, 0, keys), 1u);
  ASSERT_EQ(choices_.count(), 1u);
  EXPECT_EQ(logged(0), Choice::make(ChoiceKind::kWakeUp, strategy_.points[0].alternatives_hash, keys[1]));
}

TEST_F(ChoicesTest, FairModeTakesTheFallbackAndLogsNothing) {
  begin();
  fairness_.hold(~0ull);
  EXPECT_EQ(choices_.choose(ChoiceKind::kValue, 5, 2), 2u);
  EXPECT_FALSE(choices_.spurious_failure());
  EXPECT_EQ(choices_.count(), 0u);
  EXPECT_TRUE(strategy_.points.empty());
}

TEST_F(ChoicesTest, FirstChoiceOfAllEndsThePrefix) {
  fairness_.start({1000, 1000, false});
  choices_.start(channel_.channel(), &strategy_, {});
  choices_.begin_if_not();
  EXPECT_EQ(host_.first_choices, 1);
  begin();
  choices_.begin_if_not();
  EXPECT_EQ(host_.first_choices, 1);
}

TEST_F(ChoicesTest, FailuresForNoReasonAreCounted) {
  begin();
  EXPECT_TRUE(choices_.spurious_failure());
  EXPECT_TRUE(choices_.spurious_failure());
  EXPECT_FALSE(choices_.may_fail_spuriously());
  EXPECT_FALSE(choices_.spurious_failure());
}

TEST_F(ChoicesTest, OnlyShortWaitsExpireBeforeTheirTime) {
  begin();
  EXPECT_FALSE(choices_.expires_early(sched::kNoDeadline));
  EXPECT_FALSE(choices_.expires_early(60'000'000'000));
  EXPECT_TRUE(choices_.expires_early(1'000'000));
  EXPECT_FALSE(choices_.expires_early(1'000'000));  // one was all
}

TEST_F(ChoicesTest, StrategyThatHasSeenEnoughEndsTheExecution) {
  begin();
  strategy_.has_enough = true;
  EXPECT_THROW(choices_.choose(ChoiceKind::kValue, 2, 0), BrokenOff);
}

TEST_F(ChoicesTest, UniformStrategyIsNotAskedForThreads) {
  begin(true);
  alone_.add();
  choices_.set_pace(true);
  ASSERT_TRUE(choices_.draws());
  // What Choices draws is drawn by hand here.
  Random random;
  random.reseed(mix(1, 2));
  for (std::uint32_t i = 0; i < 20; ++i) {
    const ThreadId expected = alone_.scheduler().runnable()[random.below(2)];
    EXPECT_EQ(choices_.draw_thread(alone_.scheduler()), expected);
    EXPECT_EQ(logged(i), Choice::make(ChoiceKind::kThread, Choices::thread_hash(alone_.scheduler(), true),
                                      ChoiceKey::thread(expected)));
  }
  EXPECT_TRUE(strategy_.points.empty());
}

// C11Tester §3.
TEST_F(ChoicesTest, BurstOfStoresIsNotInterrupted) {
  begin(true);
  sched::Thread t;
  t.pending.kind = EventKind::kAtomicStore;
  t.pending.order = MemoryOrder::kRelease;
  EXPECT_FALSE(choices_.continues_burst(t));
  EXPECT_TRUE(choices_.continues_burst(t));
  t.pending.order = MemoryOrder::kSeqCst;
  EXPECT_FALSE(choices_.continues_burst(t));
}

}  // namespace
}  // namespace heddle::engine
