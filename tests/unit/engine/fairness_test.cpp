#include "runtime/engine/fairness.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace heddle::engine {
namespace {

using sched::Thread;
using sched::ThreadState;
using Verdict = Fairness::Verdict;

constexpr std::uint64_t kStagnation = 1000;
constexpr std::uint64_t kMaxSteps = 1'000'000;

class FairnessTest : public ::testing::Test {
 protected:
  FairnessTest() : threads_(2) {
    fairness_.start({kStagnation, kMaxSteps, false});
    for (std::uint16_t i = 0; i < threads_.size(); ++i) {
      threads_[i].id = ThreadId{i};
      threads_[i].state = ThreadState::kRunnable;
      threads_[i].pending.kind = EventKind::kAtomicLoad;
    }
  }
  // Until nothing has changed for so long that fair mode begins; answers that step.
  std::uint64_t spin_until_fair(std::uint64_t from) {
    for (std::uint64_t step = from;; ++step) {
      if (!fairness_.is_due(step)) continue;
      if (fairness_.check(step, threads_.size()) == Verdict::kSpins) return step;
    }
  }
  // Both threads stay in one state each, for as long as it takes.
  bool becomes_livelock(std::uint64_t step) {
    for (std::uint32_t i = 0; i < 200'000; ++i) {
      Thread& t = threads_[i % 2];
      if (!fairness_.wants_look(t, ++step)) continue;
      const PrivateState state{100, index_of(t.id) + 1u};
      if (fairness_.look(t, state, step) == Verdict::kCaught && fairness_.is_livelock(threads_)) return true;
    }
    return false;
  }

  std::unique_ptr<SpinWatch> watch_ = std::make_unique<SpinWatch>();
  Fairness fairness_{*watch_};
  std::vector<Thread> threads_;
};

TEST_F(FairnessTest, NothingIsDueWhileThingsChange) {
  for (std::uint64_t step = 1; step < 10 * kStagnation; ++step) {
    if (step % 10 == 0) fairness_.changed(step);
    if (fairness_.is_due(step)) {
      EXPECT_EQ(fairness_.check(step, 2), Verdict::kGoOn);
    }
    EXPECT_FALSE(fairness_.is_fair());
  }
}

TEST_F(FairnessTest, FairModeBeginsWhenNothingHasChangedForLong) {
  fairness_.changed(500);
  EXPECT_FALSE(fairness_.suspects_spin(500 + kStagnation - 1));
  EXPECT_TRUE(fairness_.suspects_spin(500 + kStagnation));
  EXPECT_EQ(spin_until_fair(501), 500 + kStagnation);
  EXPECT_TRUE(fairness_.is_fair());
}

TEST_F(FairnessTest, ChangeInFairModeGivesTheStrategyItsTurnAgain) {
  const std::uint64_t step = spin_until_fair(1);
  fairness_.changed(step + 1);
  EXPECT_FALSE(fairness_.wants_look(threads_[0], step + 2));
  EXPECT_FALSE(fairness_.is_fair());
}

TEST_F(FairnessTest, EachFruitlessLookWaitsTwiceAsLong) {
  const std::uint64_t first = spin_until_fair(1);
  fairness_.leave(first);
  EXPECT_EQ(spin_until_fair(first + 1) - first, 2 * kStagnation);
}

TEST_F(FairnessTest, LongExecutionTakesBreathers) {
  std::uint64_t fair_steps = 0;
  for (std::uint64_t step = 1; step <= 90'000; ++step) {
    fairness_.changed(step);
    if (fairness_.is_due(step)) {
      EXPECT_NE(fairness_.check(step, 2), Verdict::kSpins);
    }
    if (fairness_.is_fair()) {
      ++fair_steps;
      EXPECT_FALSE(fairness_.wants_look(threads_[0], step));  // it is no spin
    }
  }
  EXPECT_EQ(fair_steps, 2000u);
}

TEST_F(FairnessTest, ExecutionThatMakesProgressIsCutAtTheBound) {
  fairness_.changed(kMaxSteps - 1);
  const std::uint64_t begin = spin_until_fair(kMaxSteps);
  EXPECT_EQ(begin, kMaxSteps);
  std::uint64_t step = begin;
  while (!fairness_.is_due(step)) ++step;
  EXPECT_EQ(fairness_.check(step, 2), Verdict::kCut);
}

TEST_F(FairnessTest, ThreadsThatReturnToTheirStatesForEverAreALivelock) {
  EXPECT_TRUE(becomes_livelock(spin_until_fair(1)));
}

TEST_F(FairnessTest, ThreadThatCountsIsNoLivelock) {
  std::uint64_t step = spin_until_fair(1);
  for (std::uint64_t i = 0; fairness_.is_fair(); ++i) {
    ASSERT_LT(i, 100'000u);
    if (fairness_.wants_look(threads_[0], ++step)) fairness_.look(threads_[0], {100, i + 1}, step);
  }
}

TEST_F(FairnessTest, DeadlineOfABystanderMayEndASpin) {
  const std::uint64_t step = spin_until_fair(1);
  threads_[1].state = ThreadState::kBlocked;
  threads_[1].deadline = 777;
  EXPECT_EQ(fairness_.pass_time_of_spin(threads_, sched::kNoDeadline, 5, step), 777u);
  EXPECT_FALSE(fairness_.is_fair());
}

TEST_F(FairnessTest, TimeHelpsOnlyWhoAsksForIt) {
  fairness_.changed(1);
  const std::uint64_t step = spin_until_fair(2);
  EXPECT_EQ(fairness_.pass_time_of_spin(threads_, sched::kNoDeadline, 5, step), sched::kNoDeadline);
  EXPECT_TRUE(fairness_.is_fair());
  fairness_.clock_moves();
  EXPECT_EQ(fairness_.pass_time_of_spin(threads_, sched::kNoDeadline, 5, step), 1'000'000'005u);
}

TEST_F(FairnessTest, SpinThatAsksForTheTimeGetsDecadesAtMost) {
  fairness_.changed(1);
  const std::uint64_t step = spin_until_fair(2);
  std::uint64_t now = 0;
  std::uint32_t jumps = 0;
  for (;; ++jumps) {
    fairness_.clock_moves();
    const std::uint64_t next = fairness_.pass_time_of_spin(threads_, sched::kNoDeadline, now, step);
    if (next == sched::kNoDeadline) break;
    now = next;
  }
  EXPECT_EQ(jumps, 4u);
  EXPECT_GT(now, 30ull * 365 * 86'400 * 1'000'000'000);
}

TEST_F(FairnessTest, ClockThatIsAskedInALoopMovesFaster) {
  const std::uint64_t first = fairness_.clock_moves();
  std::uint64_t latest = first;
  for (int i = 0; i < 128; ++i) latest = fairness_.clock_moves();
  EXPECT_EQ(latest, 4 * first);
  fairness_.changed(1);
  EXPECT_EQ(fairness_.clock_moves(), first);
}

TEST_F(FairnessTest, HeldFairModeHasNoEndOfItsOwn) {
  fairness_.hold(~0ull);
  EXPECT_TRUE(fairness_.is_fair());
  EXPECT_FALSE(fairness_.is_due(kMaxSteps * 10));
}

}  // namespace
}  // namespace heddle::engine
