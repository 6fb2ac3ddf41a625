#include "runtime/engine/happens_before.h"

#include <gtest/gtest.h>

#include "runtime/engine/entry_thunks.h"
#include "tests/unit/engine/main_alone.h"

namespace heddle::engine {
namespace {

constexpr ThreadId kMain{0}, kChild{1};

// The running thread is main; the model also knows a child of main's.
class HappensBeforeTest : public ::testing::Test {
 protected:
  HappensBeforeTest() {
    crossing.pending = 0;
    memory_.thread_created(kMain, kChild);
    edges_.start();
  }
  // Does everything that main has published so far happen before what the child does next?
  bool child_knows_main() { return memory_.clock(kChild).at(kMain) + 1 >= memory_.epoch(kMain).time; }

  testing::MainAlone alone_;
  memory::MemoryModel memory_;
  race::RaceDetector race_;
  HappensBefore edges_{alone_.scheduler(), memory_, race_};
};

TEST_F(HappensBeforeTest, WhoAcquiresKnowsWhatWasReleased) {
  std::uint32_t clock = 0;
  edges_.release(clock);
  EXPECT_NE(clock, 0u);
  EXPECT_FALSE(child_knows_main());
  edges_.acquire(clock, kChild);
  EXPECT_TRUE(child_knows_main());
}

TEST_F(HappensBeforeTest, ClockThatNobodyReleasedIntoSaysNothing) {
  std::uint32_t released = 0;
  edges_.release(released);
  edges_.acquire(0, kChild);
  EXPECT_FALSE(child_knows_main());
}

TEST_F(HappensBeforeTest, ObjectsHaveClocksOfTheirOwn) {
  std::uint32_t one = 0, other = 0;
  edges_.release(one);
  edges_.release(other);
  EXPECT_NE(one, other);
  const std::uint32_t kept = one;
  edges_.release(one);
  EXPECT_EQ(one, kept);
}

TEST_F(HappensBeforeTest, NothingIsAcquiredWhileSuspended) {
  std::uint32_t clock = 0;
  edges_.release(clock);
  edges_.suspend(true);
  edges_.acquire(clock, kChild);
  EXPECT_FALSE(child_knows_main());
  edges_.suspend(false);
  edges_.acquire(clock, kChild);
  EXPECT_TRUE(child_knows_main());
}

TEST_F(HappensBeforeTest, WhatIsForgottenOrdersNobody) {
  std::uint32_t clock = 0;
  edges_.release(clock);
  edges_.forget(clock);
  EXPECT_EQ(clock, 0u);
  std::uint32_t emptied = 0;
  edges_.release(emptied);
  edges_.empty(emptied);
  edges_.acquire(emptied, kChild);
  EXPECT_FALSE(child_knows_main());
}

}  // namespace
}  // namespace heddle::engine
