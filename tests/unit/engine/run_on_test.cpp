#include "runtime/engine/run_on.h"

#include <gtest/gtest.h>

#include "runtime/engine/history_clock.h"
#include "tests/unit/engine/small_channel.h"

namespace heddle::engine {
namespace {

TEST(RunOnTest, OnlyWhereItIsAskedForAndOthersAreLeft) {
  RunSpec spec;
  EXPECT_FALSE(RunOn().may_begin(spec, 0, 2));
  spec.run_on = 1;
  EXPECT_TRUE(RunOn().may_begin(spec, 0, 2));
  EXPECT_TRUE(RunOn().may_begin(spec, SIGABRT, 2));
  EXPECT_FALSE(RunOn().may_begin(spec, SIGSEGV, 2));
  EXPECT_FALSE(RunOn().may_begin(spec, 0, 1));
}

TEST(RunOnTest, WhatTheOthersComeToIsNoPartOfTheResult) {
  const testing::SmallChannel channel;
  ChannelHeader& h = channel.header();
  h.current.steps = 70;
  h.current.findings = 1;
  h.finding_count = 1;
  RunOn run_on;
  EXPECT_GT(run_on.begin(h, Ending::kFinding, 6), 70u);
  h.current.steps = 90;
  h.current.findings = 2;
  h.finding_count = 2;
  Ending ending = Ending::kExited;
  int status = 0;
  run_on.restore(h, ending, status);
  EXPECT_EQ(h.current.steps, 70u);
  EXPECT_EQ(h.current.findings, 1);
  EXPECT_EQ(h.finding_count.load(), 1u);
  EXPECT_EQ(ending, Ending::kFinding);
  EXPECT_EQ(status, 6);
}

TEST(HistoryClockTest, CallBeginsWithItsFirstVisibleOperation) {
  HistoryClock clock;
  sched::Thread slow, fast;
  sched::HistoryMoment slow_call{}, fast_call{}, fast_return{};
  HistoryClock::call(slow, &slow_call);
  HistoryClock::call(fast, &fast_call);
  clock.begin_call(fast, 3);
  clock.return_from(fast, fast_return, 5);
  clock.begin_call(slow, 6);
  // The calls do not overlap, though `slow` was the first to announce its own.
  EXPECT_LT(fast_call.order, fast_return.order);
  EXPECT_LT(fast_return.order, slow_call.order);
  EXPECT_EQ(fast_call.choices, 3u);
  EXPECT_EQ(fast_return.choices, 5u);
}

TEST(HistoryClockTest, CallWithoutVisibleOperationsIsBeforeItsReturn) {
  HistoryClock clock;
  sched::Thread thread;
  sched::HistoryMoment call{}, back{};
  HistoryClock::call(thread, &call);
  clock.return_from(thread, back, 1);
  EXPECT_LT(call.order, back.order);
  EXPECT_EQ(thread.call_moment, nullptr);
}

}  // namespace
}  // namespace heddle::engine
