// What a user of the detector relies on, case by case, in both modes.
#include "runtime/race/race_detector.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/race/race_detector_fixture.h"

namespace heddle::race {

struct RaceDetectorTestPeer {
  static void exhaust_stamps(RaceDetector& d) { d.last_stamp_ = ~0u - 2; }
};

namespace {

INSTANTIATE_TEST_SUITE_P(Modes, RaceDetectorTest, ::testing::Values(Mode::kFast, Mode::kPrecise),
                         [](const auto& param_info) {
                           return std::string(param_info.param == Mode::kFast ? "Fast" : "Precise");
                         });

TEST_P(RaceDetectorTest, UnorderedWritesRace) {
  EXPECT_FALSE(races(0, kWrite, 4, kHeap));
  EXPECT_TRUE(races(1, kWrite, 4, kHeap));
}

TEST_P(RaceDetectorTest, TheReportNamesBothSides) {
  races(2, kWrite, 8, kHeap + 8);
  ASSERT_TRUE(races(1, kRead, 2, kHeap + 12));
  EXPECT_EQ(last_->address, kHeap + 12);
  EXPECT_EQ(last_->current.thread, ThreadId{1});
  EXPECT_EQ(last_->current.kind, AccessKind::kRead);
  EXPECT_EQ(last_->current.address, kHeap + 12);
  EXPECT_EQ(last_->current.size, 2u);
  EXPECT_EQ(last_->current.pc, 200u);
  EXPECT_EQ(last_->current.stack, StackId{51});
  EXPECT_EQ(last_->previous.thread, ThreadId{2});
  EXPECT_EQ(last_->previous.kind, AccessKind::kWrite);
  EXPECT_EQ(last_->previous.time, 1u);
  EXPECT_EQ(last_->previous.address, kHeap + 8);
  EXPECT_EQ(last_->previous.size, 8u);
  const bool precise = GetParam() == Mode::kPrecise;
  EXPECT_EQ(last_->previous.pc, precise ? 300u : 0u);
  EXPECT_EQ(last_->previous.stack, precise ? StackId{52} : kEmptyStack);
}

TEST_P(RaceDetectorTest, OrderedAccessesDoNotRace) {
  EXPECT_FALSE(races(0, kWrite, 4, kHeap));
  order(0, 1);
  EXPECT_FALSE(races(1, kWrite, 4, kHeap));
  order(1, 2);
  EXPECT_FALSE(races(2, kRead, 4, kHeap));
}

TEST_P(RaceDetectorTest, ReadsDoNotRaceAndAreAllRemembered) {
  for (std::uint32_t t = 0; t < 3; ++t) EXPECT_FALSE(races(t, kRead, 8, kHeap));
  order(0, 3), order(2, 3);
  ASSERT_TRUE(races(3, kWrite, 8, kHeap)) << "thread 1's read is not ordered";
  EXPECT_EQ(last_->previous.thread, ThreadId{1});
}

TEST_P(RaceDetectorTest, DifferentBytesOfAWordDoNotRace) {
  EXPECT_FALSE(races(0, kWrite, 1, kHeap));
  EXPECT_FALSE(races(1, kWrite, 1, kHeap + 1));
  EXPECT_FALSE(races(2, kWrite, 2, kHeap + 2));
  EXPECT_FALSE(races(3, kWrite, 4, kHeap + 4));
  ASSERT_TRUE(races(0, kRead, 8, kHeap));
  EXPECT_EQ(last_->address, kHeap + 1);
}

TEST_P(RaceDetectorTest, AccessesAcrossWordsAreSeenInBoth) {
  EXPECT_FALSE(races(0, kWrite, 8, kHeap + 5));
  EXPECT_FALSE(races(1, kRead, 4, kHeap + 1));
  EXPECT_TRUE(races(1, kRead, 1, kHeap + 5));
  EXPECT_FALSE(races(1, kRead, 1, kHeap + 13));
  ASSERT_TRUE(races(2, kWrite, 1, kHeap + 12));
  EXPECT_EQ(last_->address, kHeap + 12);
}

TEST_P(RaceDetectorTest, AtomicsRaceWithPlainAccessesOnly) {
  EXPECT_FALSE(races(0, kAtomicWrite, 4, kHeap));
  EXPECT_FALSE(races(1, kAtomicWrite, 4, kHeap));
  EXPECT_FALSE(races(2, kAtomicRead, 4, kHeap));
  ASSERT_TRUE(races(3, kRead, 4, kHeap));
  EXPECT_EQ(last_->previous.kind, AccessKind::kAtomicWrite);
  EXPECT_FALSE(races(0, kRead, 4, kHeap + 8));
  EXPECT_FALSE(races(1, kAtomicRead, 4, kHeap + 8));
  EXPECT_TRUE(races(1, kAtomicWrite, 4, kHeap + 8));
}

TEST_P(RaceDetectorTest, VolatileAccessesMeetOthersAsAtomicsDo) {
  EXPECT_FALSE(races(0, kVolatileWrite, 4, kHeap));
  EXPECT_FALSE(races(1, kVolatileRead, 4, kHeap));
  EXPECT_FALSE(races(2, kAtomicWrite, 4, kHeap));
  order(2, 3), order(1, 3);
  ASSERT_TRUE(races(3, kRead, 4, kHeap));
  EXPECT_TRUE(last_->previous.is_volatile);
  EXPECT_EQ(last_->previous.thread, ThreadId{0});
}

TEST_P(RaceDetectorTest, ARaceIsToldOncePerEpochOfTheLaterAccess) {
  races(0, kWrite, 4, kHeap);
  EXPECT_TRUE(races(1, kRead, 4, kHeap));
  EXPECT_FALSE(races(1, kRead, 4, kHeap));
}

TEST_P(RaceDetectorTest, ARangeYieldsOneRaceAtItsLowestByte) {
  for (Address a = kHeap + 5000; a < kHeap + 6000; a += 8) races(0, kWrite, 8, a);
  ASSERT_TRUE(range_races(1, kRead, kHeap + 3, 20000));
  EXPECT_EQ(last_->address, kHeap + 5000);
  EXPECT_EQ(last_->current.size, 20000u);
  EXPECT_FALSE(range_races(2, kRead, kHeap + 6000, 14003));
  EXPECT_TRUE(races(3, kWrite, 1, kHeap + 20002)) << "the range's last byte";
  EXPECT_FALSE(races(3, kWrite, 1, kHeap + 20003));
}

TEST_P(RaceDetectorTest, LongRangesAreRemembered) {
  constexpr std::uint64_t kSize = 64 << 20;
  EXPECT_FALSE(range_races(0, kWrite, kHeap, kSize));
  EXPECT_FALSE(range_races(0, kRead, kHeap, kSize));
  for (Address a = kHeap; a < kHeap + kSize; a += 1234567) EXPECT_TRUE(races(1, kRead, 1, a));
  order(0, 2);
  EXPECT_FALSE(range_races(2, kRead, kHeap, kSize));
}

TEST_P(RaceDetectorTest, ResetSparesTheNeighbours) {
  range_races(0, kWrite, kHeap, 32);
  detector.reset_range(kHeap + 3, 18);
  EXPECT_FALSE(range_races(1, kRead, kHeap + 3, 18));
  EXPECT_TRUE(races(2, kRead, 1, kHeap + 2));
  EXPECT_TRUE(races(2, kRead, 1, kHeap + 21));
}

TEST_P(RaceDetectorTest, EveryRegionOfTheAddressSpaceHasItsOwnCells) {
  const Address places[] = {0x401000,       0x5555deadb000, 0x600000000000, 0x610000000000,
                            0x7f00deadb000, 0x7fffffffe000, 0x7ffffffffff8};
  for (const Address a : places) EXPECT_FALSE(races(0, kWrite, 8, a));
  for (const Address a : places) EXPECT_TRUE(races(1, kWrite, 8, a)) << std::hex << a;
}

TEST_P(RaceDetectorTest, WildPointersDoNotFault) {
  for (const Address a :
       {Address{0}, Address{0xdeadbeefdeadbeef}, ~Address{0}, ~Address{7}, Address{0x800000000000}}) {
    races(0, kRead, 8, a);
    for (int i = 0; i < 3; ++i) races(0, kWrite, 16, a);
    races(0, kRead, 1, a);
  }
  EXPECT_FALSE(range_races(0, kRead, ~Address{0} - 100, 4096));
}

TEST_P(RaceDetectorTest, ResetForgetsEverything) {
  for (const std::uint64_t size : {4096ull, 200ull << 20}) {
    EXPECT_FALSE(range_races(0, kWrite, kHeap, size));
    detector.reset();
    EXPECT_FALSE(range_races(1, kWrite, kHeap, size)) << size;
    detector.reset();
  }
}

TEST_P(RaceDetectorTest, AThreadIdIsReusedByWhoJoinedIt) {
  races(1, kWrite, 4, kHeap);
  threads_.end_and_recreate(1, 2);
  EXPECT_FALSE(races(1, kWrite, 4, kHeap)) << "the new life begins after the old one was joined";
  EXPECT_TRUE(races(2, kRead, 4, kHeap)) << "the creator is not ordered with the new life";
  races(1, kWrite, 4, kHeap + 8);
  EXPECT_TRUE(races(3, kRead, 4, kHeap + 8));
}

TEST_P(RaceDetectorTest, TheHighestThreadIdAndTimeAreDistinct) {
  std::vector<std::uint32_t> clock(kMaxThreads, 0);
  const auto enter = [&](std::uint32_t thread, std::uint32_t time) {
    detector.enter(ThreadId{static_cast<std::uint16_t>(thread)}, time, {clock.data(), kMaxThreads});
  };
  enter(kMaxThreads - 1, 0xffffffff);
  EXPECT_FALSE(access(kWrite, 8, kHeap));
  clock[kMaxThreads - 1] = 0xfffffffe;
  enter(kMaxThreads - 2, 1);
  const std::optional<Race> race = access(kRead, 8, kHeap);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->previous.thread, ThreadId{kMaxThreads - 1});
  EXPECT_EQ(race->previous.time, 0xffffffffu);
  clock[kMaxThreads - 1] = 0xffffffff;
  enter(0, 1);
  EXPECT_FALSE(access(kRead, 8, kHeap));
}

TEST_P(RaceDetectorTest, OnlyAThreadOfWhichNothingHasChangedIsResumed) {
  std::vector<std::uint32_t> clock(kMaxThreads, 1);
  const ThreadId thread{3};
  EXPECT_FALSE(detector.resume(thread)) << "it has never run";
  detector.enter(thread, 1, {clock.data(), kMaxThreads});
  detector.enter(kMainThread, 1, {clock.data(), kMaxThreads});
  EXPECT_TRUE(detector.resume(thread));
  clock[3] = 2;
  EXPECT_FALSE(detector.resume(thread)) << "somebody has published for it";
  detector.enter(thread, 2, {clock.data(), kMaxThreads});
  EXPECT_TRUE(detector.resume(thread));
  clock[3] = 3;
  detector.enter_later(thread, 3);
  EXPECT_TRUE(detector.resume(thread));
  detector.clocks_moved();
  EXPECT_FALSE(detector.resume(thread));
  detector.enter(thread, 3, {clock.data(), kMaxThreads});
  detector.reset();
  EXPECT_FALSE(detector.resume(kMainThread)) << "what its steps led to is gone";
}

// Accesses that a thread repeats from epoch to epoch need not be judged again, until somebody else has come.
TEST_P(RaceDetectorTest, WhatOthersDidMeanwhileIsSeenInLaterEpochs) {
  Address word = kHeap;
  for (const AccessOp mine : {kRead, kWrite, kAtomicRead, kAtomicWrite}) {
    for (const AccessOp theirs : {kRead, kWrite, kAtomicRead, kAtomicWrite}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(mine)) + " " + std::to_string(static_cast<int>(theirs)));
      word += 8;
      for (int epoch = 0; epoch < 5; ++epoch) {
        EXPECT_FALSE(races(0, mine, 4, word));
        order(0, epoch == 4 ? 1 : 3);
      }
      EXPECT_FALSE(races(1, theirs, 4, word));
      const bool both_read =
          (mine == kRead || mine == kAtomicRead) && (theirs == kRead || theirs == kAtomicRead);
      const bool both_atomic = mine >= kAtomicRead && theirs >= kAtomicRead;
      EXPECT_EQ(races(0, mine, 4, word), !both_read && !both_atomic);
    }
  }
}

TEST_P(RaceDetectorTest, ANewLifeKnowsNothingOfWhatTheFormerHasLearnt) {
  EXPECT_FALSE(races(2, kWrite, 4, kHeap));
  order(2, 0);
  for (int epoch = 0; epoch < 5; ++epoch) {
    EXPECT_FALSE(races(0, kRead, 4, kHeap));
    order(0, 1);
  }
  const std::uint32_t time = threads_.time(0);
  const std::uint32_t clock[] = {time, 0, 0, 0};
  detector.thread_begins(ThreadId{0}, time);
  detector.enter(ThreadId{0}, time, {clock, 4});
  EXPECT_TRUE(access(kRead, 4, kHeap).has_value());
}

TEST_P(RaceDetectorTest, ManyReadersOfOneWordAreAllKept) {
  std::vector<std::uint32_t> clock(kMaxThreads, 0);
  for (std::uint32_t t = 0; t < kMaxThreads; ++t) {
    detector.enter(ThreadId{static_cast<std::uint16_t>(t)}, 7, {clock.data(), kMaxThreads});
    EXPECT_FALSE(access(kRead, 8, kHeap));
  }
  for (std::uint32_t& time : clock) time = 7;
  clock[2345] = 6;
  detector.enter(ThreadId{0}, 8, {clock.data(), kMaxThreads});
  const std::optional<Race> race = access(kWrite, 8, kHeap);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->previous.thread, ThreadId{2345});
}

TEST_P(RaceDetectorTest, MemoryStaysFlatOverManyEpochs) {
  std::uint64_t most = 0;
  for (std::uint32_t i = 0; i < 400'000; ++i) {
    const std::uint32_t t = i % 2;
    ASSERT_FALSE(races(t, kRead, 8, kHeap + 8 * (i % 97)));
    ASSERT_FALSE(races(t, kWrite, 4, kHeap + 8 * (i % 97)));
    ASSERT_FALSE(races(t, kAtomicWrite, 8, kHeap + 1024));
    threads_.release(t, 0), threads_.acquire(1 - t, 0);
    most = std::max(most, detector.state_bytes());
  }
  EXPECT_LT(most, 8u << 20);
  races(0, kWrite, 8, kHeap + 2048);
  EXPECT_TRUE(races(1, kRead, 8, kHeap + 2048));
}

TEST_P(RaceDetectorTest, StepsAreForgottenWhenTheirStampsWrap) {
  races(0, kWrite, 8, kHeap);
  RaceDetectorTestPeer::exhaust_stamps(detector);
  for (int i = 0; i < 8; ++i) {
    order(0, 1);
    EXPECT_FALSE(races(1, kRead, 8, kHeap));
    EXPECT_FALSE(races(0, kRead, 8, kHeap));
  }
  races(0, kWrite, 8, kHeap + 8);
  EXPECT_TRUE(races(1, kRead, 8, kHeap + 8));
}

TEST_P(RaceDetectorTest, AForkedChildGoesOnFromTheSameHistory) {
  races(0, kWrite, 8, kHeap);
  const pid_t child = fork();
  if (child == 0) {
    races(0, kWrite, 8, kHeap + 8);
    _exit(races(1, kRead, 8, kHeap) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(races(1, kRead, 8, kHeap + 8)) << "the child's accesses are not the parent's";
}

TEST(RaceDetectorStart, FailsWhenTheShadowIsTaken) {
  StartedDetector first(Mode::kFast);
  ASSERT_TRUE(first.started);
  static constinit RaceDetector second;
  EXPECT_FALSE(second.start(Mode::kFast));
  second.stop();
  detector.enter(kMainThread, 1, {nullptr, 0});
  EXPECT_FALSE(access(kWrite, 8, kHeap)) << "the first one's shadow is still there";
}

}  // namespace
}  // namespace heddle::race
