#include "tool/search/waiting_rounds.h"

#include <gtest/gtest.h>

namespace heddle::search {
namespace {

constexpr std::uint64_t kLocked = 1;
constexpr std::uint64_t kReady = 2;
constexpr std::uint64_t kAfter = 3;

// lock; not ready; … lock; ready; and something else.
Path waits(std::size_t rounds, bool then = true) {
  Path path{Step::make(kAfter, false)};
  for (std::size_t i = 0; i <= rounds; ++i) {
    path.push_back(Step::make(kLocked, false));
    path.push_back(Step::make(kReady, i == rounds));
  }
  path.push_back(Step::make(kAfter, then));
  return path;
}

// Shared values decide whether it is ready.
ThreadPath ran(Path path, bool shared = true) {
  ThreadPath thread;
  thread.path = std::move(path);
  for (const Step step : thread.path)
    thread.records.push_back(shared && step.branch() == kReady ? 0 : kNoRecord);
  return thread;
}

TEST(WaitingRounds, AreAsManyAsTheExecutionMade) {
  for (const std::size_t made : {0u, 1u, 2u, 63u, 64u, 65u, 500u}) {
    EXPECT_EQ(with_rounds_of(waits(100'000), ran(waits(made))), waits(made)) << made;
    EXPECT_EQ(with_rounds_of(waits(200), ran(waits(made))), waits(made)) << made;
  }
}

TEST(WaitingRounds, StayWhereNoOtherThreadEndsTheLoop) {
  EXPECT_EQ(with_rounds_of(waits(200), ran(waits(3), false)), waits(200));
  EXPECT_EQ(with_rounds_of(waits(200), ran(waits(300), false)), waits(200));
}

TEST(WaitingRounds, StayWhereTheyAreFew) {
  EXPECT_EQ(with_rounds_of(waits(20), ran(waits(3))), waits(20));
  EXPECT_EQ(with_rounds_of(waits(3), ran(waits(20))), waits(3));
}

TEST(WaitingRounds, WhatComesAfterThemIsCompared) {
  const Path adapted = with_rounds_of(waits(1000, true), ran(waits(2, false)));
  EXPECT_EQ(adapted, waits(2, true));
}

TEST(WaitingRounds, OfSeveralLoops) {
  Path log = waits(1000);
  Path made = waits(3);
  for (const Step step : waits(70)) log.push_back(step);
  for (const Step step : waits(0)) made.push_back(step);
  EXPECT_EQ(with_rounds_of(log, ran(made)), made);
}

TEST(WaitingRounds, AnExecutionThatWasCutOffWhileItWaited) {
  Path made = waits(3);
  made.resize(6);
  EXPECT_EQ(with_rounds_of(waits(1000), ran(made)), waits(1000));
  EXPECT_TRUE(with_rounds_of({}, ran(made)).empty());
  EXPECT_EQ(with_rounds_of(waits(1000), ran({})), waits(1000));
}

TEST(WaitingRounds, RunsThatDifferInManyRoundsAreOne) {
  EXPECT_EQ(without_further_rounds(waits(1000)), without_further_rounds(waits(777'777)));
  EXPECT_EQ(without_further_rounds(waits(1000)), waits(kManyRounds));
  EXPECT_EQ(without_further_rounds(waits(20)), waits(20));
  EXPECT_NE(without_further_rounds(waits(20)), without_further_rounds(waits(21)));
}

TEST(WaitingRounds, ALoopThatCountsIsFollowedFromAPathThatWasCut) {
  EXPECT_EQ(with_rounds_of(without_further_rounds(waits(300)), ran(waits(300), false)), waits(300));
}

}  // namespace
}  // namespace heddle::search
