// Threads that run on: while the counter lasts, nobody is asked whose turn it is.
#include <gtest/gtest.h>

#include "runtime/strategy/runs_on.h"

namespace heddle::strategy {
namespace {

class SomeView final : public View {
 public:
  NextOperation next_operation(ThreadId) const override { return {next, MemoryOrder::kRelaxed, 4, 0, 0}; }
  std::uint32_t unfinished_threads() const override { return 2; }
  std::uint32_t latest_stores(std::uint32_t*, std::uint32_t) const override { return 0; }
  std::uint32_t nearest_store(ChoiceKey) const override { return 0; }
  bool store_precedes(const Location&, ChoiceKey, ChoiceKey) const override { return false; }
  std::uint64_t latest_change() const override { return changed; }

  EventKind next = EventKind::kAtomicStore;
  std::uint64_t changed = 0;
};

class RunsOn : public ::testing::Test {
 protected:
  // As the engine does it: operations that change something, of whoever has the turn; their threads.
  std::vector<ThreadId> run(RunsOnStrategy& strategy, std::uint64_t operations, bool changes = true) {
    std::vector<ThreadId> ran;
    for (std::uint64_t step = 1; step <= operations; ++step) {
      if (*strategy.stay() != 0 && view_.next != EventKind::kYield) {
        --*strategy.stay();
      } else {
        ChoicePoint point;
        point.thread = running_;
        point.count = 2;
        point.threads = threads_;
        point.fallback = index_of(running_);
        point.step = step;
        running_ = threads_[strategy.choose(point)];
        ++asked_;
      }
      if (changes) view_.changed = step;
      ran.push_back(running_);
    }
    return ran;
  }
  static std::size_t switches(const std::vector<ThreadId>& ran) {
    std::size_t count = 0;
    for (std::size_t i = 1; i < ran.size(); ++i) count += ran[i] != ran[i - 1] ? 1 : 0;
    return count;
  }

  SomeView view_;
  ThreadId threads_[2] = {ThreadId{0}, ThreadId{1}};
  ThreadId running_{0};
  std::uint64_t asked_ = 0;
};

// Half of the ends of runs pick the same thread again: a switch comes after 2 * 100 operations on average. Of 200,000
// operations 1,000 switches are expected. Lengths are close to geometric, so the count has a standard deviation of
// about 32, and less than 800 or more than 1,200 are six of them away.
TEST_F(RunsOn, SwitchesAsOftenAsItsMeanSays) {
  RunsOnStrategy strategy(100);
  strategy.begin(1, 1, view_);
  const auto ran = run(strategy, 200'000);
  EXPECT_GT(switches(ran), 800u);
  EXPECT_LT(switches(ran), 1'200u);
  // At most once in a piece of a run, and at its end.
  EXPECT_LT(asked_, 200'000u / 20);
}

TEST_F(RunsOn, EndsTheRunOfAThreadThatChangesNothing) {
  RunsOnStrategy strategy(1'000'000);
  strategy.begin(1, 1, view_);
  // Without a change each piece is the last of its run: of 100 draws at least one picks the other thread, but for a
  // chance of 2^-100.
  EXPECT_GT(switches(run(strategy, 100 * 65, false)), 0u);
}

TEST_F(RunsOn, AsksAtOnceAboutAThreadThatYields) {
  RunsOnStrategy strategy(1'000'000);
  strategy.begin(1, 1, view_);
  view_.next = EventKind::kYield;
  // 100 draws, as above.
  EXPECT_GT(switches(run(strategy, 100)), 0u);
}

TEST_F(RunsOn, RepeatsByItsSeed) {
  RunsOnStrategy one(0), other(0);
  one.begin(5, 7, view_);
  const auto first = run(one, 5'000);
  running_ = ThreadId{0};
  view_.changed = 0;
  other.begin(5, 7, view_);
  EXPECT_EQ(run(other, 5'000), first);
}

}  // namespace
}  // namespace heddle::strategy
