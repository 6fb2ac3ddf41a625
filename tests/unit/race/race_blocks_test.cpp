// Blocks of memory and objects that begin and end: their allocation, use and end as accesses, in both modes.
#include "tests/unit/race/race_detector_fixture.h"

namespace heddle::race {
namespace {

TEST_P(RaceDetectorTest, AFreeIsAWrite) {
  races(0, kRead, 4, kHeap + 40);
  ASSERT_TRUE(free_races(1, kHeap, 64));
  EXPECT_EQ(last_->address, kHeap + 40);
  EXPECT_EQ(last_->current.deed, Deed::kFree);
  ASSERT_TRUE(races(0, kRead, 4, kHeap + 8));
  EXPECT_EQ(last_->previous.deed, Deed::kFree);
}

TEST_P(RaceDetectorTest, AFreshBlockHasNoHistory) {
  races(0, kWrite, 8, kHeap);
  free_races(0, kHeap, 4096);
  detector.reset_range(kHeap, 4096);
  EXPECT_FALSE(races(1, kWrite, 8, kHeap));
  EXPECT_FALSE(range_races(1, kWrite, kHeap, 4096));
}

TEST_P(RaceDetectorTest, AnAllocationIsAWrite) {
  for (const AccessOp op : {kRead, kWrite, kAtomicRead, kAtomicWrite, kVolatileRead, kVolatileWrite}) {
    for (const std::uint32_t size : {1u, 2u, 4u, 8u, 16u}) {
      allocate(0, kHeap, 64);
      ASSERT_TRUE(races(1, op, size, kHeap + 16)) << static_cast<int>(op) << " of size " << size;
      EXPECT_EQ(last_->previous.deed, Deed::kAllocation);
      EXPECT_EQ(last_->previous.kind, AccessKind::kWrite);
      EXPECT_FALSE(last_->previous.is_volatile);
      if (GetParam() == Mode::kPrecise) {
        EXPECT_EQ(last_->previous.size, 64u);
        EXPECT_EQ(last_->previous.pc, 100u);
      }
    }
  }
}

TEST_P(RaceDetectorTest, WhoIsOrderedAfterAnAllocationMayUseIt) {
  allocate(0, kHeap, 64);
  EXPECT_FALSE(races(0, kRead, 8, kHeap));
  EXPECT_FALSE(races(0, kAtomicWrite, 8, kHeap + 8));
  order(0, 1);
  EXPECT_FALSE(range_races(1, kWrite, kHeap, 64));
  EXPECT_TRUE(races(2, kRead, 1, kHeap + 63));
}

TEST_P(RaceDetectorTest, AnAllocationRacesWithNothingBefore) {
  races(0, kWrite, 8, kHeap);
  free_races(0, kHeap, 64);
  allocate(1, kHeap, 64);
  EXPECT_FALSE(races(1, kWrite, 8, kHeap));
  EXPECT_FALSE(free_races(1, kHeap, 64));
}

TEST_P(RaceDetectorTest, AWriteTakesTheAllocationsPlace) {
  allocate(0, kHeap, 8);
  EXPECT_FALSE(detector.is_written(kHeap, 8)) << "nothing has a value yet";
  races(0, kWrite, 4, kHeap);
  EXPECT_TRUE(detector.is_written(kHeap, 4));
  EXPECT_FALSE(detector.is_written(kHeap + 4, 4));
  ASSERT_TRUE(races(1, kRead, 4, kHeap));
  EXPECT_EQ(last_->previous.deed, Deed::kAccess);
  ASSERT_TRUE(races(1, kRead, 4, kHeap + 4));
  EXPECT_EQ(last_->previous.deed, Deed::kAllocation);
}

TEST_P(RaceDetectorTest, MuchMemoryIsAllocatedWithoutTouchingItsShadow) {
  constexpr std::uint64_t kSize = 200 << 20;
  const Address block = kHeap + 64;
  allocate(0, block, kSize);
  EXPECT_LT(detector.shadow_bytes(), 64u << 10);
  for (Address a = block; a < block + kSize; a += 1234568) {
    ASSERT_TRUE(races(1, kRead, 1, a));
    ASSERT_EQ(last_->previous.deed, Deed::kAllocation);
  }
  ASSERT_TRUE(races(2, kAtomicRead, 8, block + kSize - 8));
  ASSERT_TRUE(range_races(2, kRead, block + (8 << 20), 1 << 20));
  EXPECT_FALSE(races(1, kRead, 1, block + kSize)) << "behind the end";
  order(0, 3);
  EXPECT_FALSE(range_races(3, kRead, block + (50 << 20), 1000));
  detector.collect();
  EXPECT_TRUE(races(2, kRead, 1, block + (60 << 20))) << "after a collection";
  EXPECT_TRUE(free_races(2, block, kSize));
  allocate(3, block, kSize);
  EXPECT_FALSE(range_races(3, kWrite, block, kSize));
}

TEST_P(RaceDetectorTest, AFreeThatIsNotOrderedAfterTheAllocationRaces) {
  for (const Address block : {kHeap + 64, kHeap + (1 << 20)}) {
    allocate(0, block, 1 << 20);
    ASSERT_TRUE(free_races(1, block, 1 << 20));
    EXPECT_EQ(last_->previous.deed, Deed::kAllocation);
  }
}

TEST_P(RaceDetectorTest, ForgettingAPartOfAnAllocationSparesTheRest) {
  const Address block = kHeap + (1 << 20);
  allocate(0, block, 1 << 20);
  detector.reset_range(block + (100 << 10), 300 << 10);
  EXPECT_FALSE(races(1, kRead, 8, block + (100 << 10)));
  EXPECT_FALSE(races(1, kRead, 8, block + (256 << 10)));
  EXPECT_FALSE(races(1, kRead, 8, block + (400 << 10) - 8));
  EXPECT_TRUE(races(1, kRead, 8, block + (400 << 10)));
  EXPECT_TRUE(races(1, kRead, 8, block + (100 << 10) - 8));
}

TEST_P(RaceDetectorTest, TheEndOfAStackIsAWriteOfWhatWasTouched) {
  constexpr std::uint64_t kStack = 8 << 20;
  const Address top = kHeap + kStack;
  races(0, kWrite, 4, top - 40);
  races(0, kWrite, 4, top - 48);
  order(0, 1);
  EXPECT_FALSE(races(1, kRead, 4, top - 40));
  ASSERT_TRUE(end_races(0, kHeap, kStack));
  EXPECT_EQ(last_->address, top - 40);
  EXPECT_EQ(last_->current.deed, Deed::kEnd);
  EXPECT_LT(detector.shadow_bytes(), 4u << 10);
  ASSERT_TRUE(races(2, kRead, 4, top - 48));
  EXPECT_EQ(last_->previous.deed, Deed::kEnd);
}

TEST_P(RaceDetectorTest, UsesOfAnObjectRaceWithItsEndAlone) {
  allocate(0, kHeap, 48);
  order(0, 1), order(0, 2);
  EXPECT_FALSE(use_races(1, kHeap));
  EXPECT_FALSE(use_races(2, kHeap));
  EXPECT_FALSE(races(0, kRead, 8, kHeap)) << "a plain read of it is no end";
  EXPECT_FALSE(races(0, kAtomicWrite, 8, kHeap));
  order(1, 0);
  ASSERT_TRUE(free_races(0, kHeap, 48));
  EXPECT_EQ(last_->previous.thread, ThreadId{2});
  EXPECT_EQ(last_->previous.deed, Deed::kUse);
  allocate(0, kHeap, 48);
  order(0, 1);
  EXPECT_FALSE(use_races(1, kHeap));
  order(1, 0);
  EXPECT_FALSE(end_races(0, kHeap, 48));
  ASSERT_TRUE(use_races(2, kHeap));
  EXPECT_EQ(last_->previous.deed, Deed::kEnd);
}

TEST_P(RaceDetectorTest, HugeBlocksAreFreedWhereTheyWereTouched) {
  constexpr std::uint64_t kTera = 1ull << 40;
  races(0, kWrite, 8, kHeap + kTera - 16);
  ASSERT_TRUE(free_races(1, kHeap, kTera));
  EXPECT_EQ(last_->address, kHeap + kTera - 16);
  EXPECT_LT(detector.shadow_bytes(), 2u << 20);
  EXPECT_TRUE(races(2, kRead, 1, kHeap)) << "the block's begin is marked as freed";
  detector.reset_range(kHeap, kTera);
  EXPECT_FALSE(races(2, kRead, 8, kHeap + kTera - 16));
}

}  // namespace
}  // namespace heddle::race
