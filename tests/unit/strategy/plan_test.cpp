#include "runtime/strategy/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/pages.h"
#include "tests/unit/strategy/points.h"

namespace heddle::strategy {
namespace {

class PlanTest : public ::testing::Test {
 protected:
  PlanTest()
      : learning_(static_cast<Learning*>(map_shared_pages(sizeof(Learning)))),
        exchange_(*static_cast<PlanExchange*>(learning_->path())) {
    strategy_.attach(learning_);
  }

  void plan(std::vector<Departure> departures) {
    std::sort(departures.begin(), departures.end(),
              [](const Departure& a, const Departure& b) { return a.place < b.place; });
    std::copy(departures.begin(), departures.end(), exchange_.plan);
    exchange_.count = static_cast<std::uint32_t>(departures.size());
    strategy_.begin(0, 0, kNoView);
  }
  void performed(std::uint16_t thread, std::uint64_t pc) {
    Operation operation;
    operation.thread = ThreadId{thread};
    operation.pc = pc;
    strategy_.performed(operation);
  }
  ThreadId chosen(std::uint16_t current, bool can_continue = true) {
    static constexpr ThreadId kThreads[] = {ThreadId{2}, ThreadId{0}, ThreadId{1}};
    ChoicePoint point;
    point.kind = ChoiceKind::kThread;
    point.thread = ThreadId{current};
    point.thread_can_continue = can_continue;
    point.threads = kThreads;
    point.count = 3;
    point.fallback = static_cast<std::uint32_t>(
        std::find(std::begin(kThreads), std::end(kThreads), ThreadId{current}) - kThreads);
    return kThreads[strategy_.choose(point)];
  }
  static ChoicePlace place(std::uint16_t thread, std::uint32_t operations, ChoiceKind kind,
                           std::uint32_t turn = 0) {
    return ChoicePlace::make(ThreadId{thread}, operations, static_cast<std::uint32_t>(kind), turn);
  }

  Learning* learning_;
  PlanExchange& exchange_;
  PlanStrategy strategy_;
};

TEST_F(PlanTest, WithoutDeparturesThreadsGoOnAndThenTheNextOne) {
  plan({});
  EXPECT_EQ(chosen(1), ThreadId{1});
  EXPECT_EQ(chosen(1, false), ThreadId{2});
  EXPECT_EQ(chosen(2, false), ThreadId{0});
  EXPECT_EQ(strategy_.choose(value_point(4)), 0u);
  EXPECT_EQ(exchange_.made_count.load(), 0u);
}

TEST_F(PlanTest, ADepartureIsMadeAtItsPlaceAndWrittenDown) {
  plan({{place(1, 1, ChoiceKind::kThread), ChoiceKey::thread(ThreadId{0})},
        {place(0, 7, ChoiceKind::kThread), ChoiceKey::thread(ThreadId{2})}});
  EXPECT_EQ(chosen(1), ThreadId{1});
  performed(1, 10);
  EXPECT_EQ(chosen(1), ThreadId{0});  // before its second operation
  EXPECT_EQ(chosen(0), ThreadId{0});
  ASSERT_EQ(exchange_.made_count.load(), 1u);
  EXPECT_EQ(exchange_.made[0].departure.place, place(1, 1, ChoiceKind::kThread));
  EXPECT_EQ(exchange_.made[0].choice, 1u);
  EXPECT_EQ(exchange_.made[0].preempts, 1u);
}

TEST_F(PlanTest, WhatIsNotOnOfferHasNoEffect) {
  plan({{place(1, 0, ChoiceKind::kThread), ChoiceKey::thread(ThreadId{9})}});
  EXPECT_EQ(chosen(1), ThreadId{1});
  EXPECT_EQ(exchange_.made_count.load(), 0u);
}

TEST_F(PlanTest, WhoSpinsMakesWay) {
  plan({});
  for (int i = 0; i < 3; ++i) performed(1, 10);
  EXPECT_EQ(chosen(1), ThreadId{2});
  for (int i = 0; i < 3; ++i) performed(2, 20);
  EXPECT_EQ(chosen(2), ThreadId{0});
  for (int i = 0; i < 3; ++i) performed(0, 30);
  EXPECT_EQ(chosen(0), ThreadId{1});  // all spin: the next one, which may look around again
  EXPECT_EQ(chosen(1), ThreadId{1});
  EXPECT_EQ(exchange_.made_count.load(), 0u);
}

TEST_F(PlanTest, WhoIsHeldComesLast) {
  exchange_.holds = 1;
  exchange_.hold = {ThreadId{1}, 1};
  plan({});
  EXPECT_EQ(chosen(1), ThreadId{1});  // it has an operation to go
  performed(1, 10);
  EXPECT_EQ(chosen(1), ThreadId{2});
  EXPECT_EQ(chosen(2, false), ThreadId{0});
  EXPECT_EQ(chosen(0, false), ThreadId{2});  // the next one would be T1
  // Who spins may be at work on plain memory, and is let on; but not for ever: it may be for T1.
  int turns = 0;
  for (bool came = false; turns < 5000 && !came; ++turns) {
    for (int k = 0; k < 3; ++k) performed(2, 20);
    for (int k = 0; k < 3; ++k) performed(0, 30);
    came = chosen(2) == ThreadId{1};
  }
  EXPECT_GT(turns, 1000);
  EXPECT_LT(turns, 5000);
}

TEST_F(PlanTest, TheDeparturesOfALogRepeatIt) {
  const Choice log[] = {Choice::make(ChoiceKind::kThread, 0, ChoiceKey::thread(ThreadId{2})),
                        Choice::make(ChoiceKind::kThread, 0, ChoiceKey::thread(ThreadId{0}))};
  exchange_.follow_log = 1;
  strategy_.set_log(log);
  plan({});
  EXPECT_EQ(chosen(1), ThreadId{2});
  EXPECT_EQ(chosen(2, false), ThreadId{0});  // as it would be anyway
  EXPECT_FALSE(strategy_.diverged());
  ASSERT_EQ(exchange_.made_count.load(), 1u);
  exchange_.follow_log = 0;
  plan({exchange_.made[0].departure});
  EXPECT_EQ(chosen(1), ThreadId{2});
  EXPECT_EQ(chosen(2, false), ThreadId{0});
}

TEST_F(PlanTest, OtherDeparturesAreListedWhereAskedFor) {
  exchange_.list_others = 1;
  plan({});
  EXPECT_EQ(chosen(1), ThreadId{1});
  EXPECT_EQ(exchange_.other_count, 2u);
  EXPECT_EQ(exchange_.others[0].departure.pick, ChoiceKey::thread(ThreadId{2}));
}

}  // namespace
}  // namespace heddle::strategy
