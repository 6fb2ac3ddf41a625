#include "runtime/sched/lock_graph.h"

#include <gtest/gtest.h>

namespace heddle::sched {
namespace {

class LockGraphTest : public ::testing::Test {
 protected:
  LockGraphTest() {
    graph_.start();
    for (std::uint32_t i = 0; i < 4; ++i) {
      locks_[i].kind = SyncKind::kMutex;
      locks_[i].number = locks_[i].serial = i + 1;
    }
    for (const std::uint16_t child : {1, 2, 3}) graph_.created(kMainThread, ThreadId{child});
  }

  // `thread` takes the locks in this order and lets them go again; answers whether a circle closed.
  bool take(std::uint16_t thread, std::initializer_list<int> order, bool shared = false,
            bool could_wait = true) {
    bool circle = false;
    for (const int i : order) {
      const LockCycle* cycle = graph_.acquired(ThreadId{thread}, locks_[i], shared, could_wait, {});
      if (cycle != nullptr) {
        circle = true;
        length_ = cycle->length;
      }
    }
    for (const int i : order) graph_.released(ThreadId{thread}, locks_[i]);
    return circle;
  }

  LockGraph graph_;
  SyncObject locks_[4];
  std::uint32_t length_ = 0;
};

TEST_F(LockGraphTest, TwoOrdersOfTwoThreadsAreACircleOnce) {
  EXPECT_FALSE(take(1, {0, 1}));
  EXPECT_TRUE(take(2, {1, 0}));
  EXPECT_EQ(length_, 2u);
  EXPECT_FALSE(take(2, {1, 0}));
  EXPECT_FALSE(take(3, {1, 0}));
}

TEST_F(LockGraphTest, OneThreadCannotDeadlockWithItself) {
  EXPECT_FALSE(take(1, {0, 1}));
  EXPECT_FALSE(take(1, {1, 0}));
}

TEST_F(LockGraphTest, ThreeThreadsMakeALongCircle) {
  EXPECT_FALSE(take(1, {0, 1}));
  EXPECT_FALSE(take(2, {1, 2}));
  EXPECT_TRUE(take(3, {2, 0}));
  EXPECT_EQ(length_, 3u);
}

TEST_F(LockGraphTest, AGateKeepsTheOrdersApart) {
  EXPECT_FALSE(take(1, {3, 0, 1}));
  EXPECT_FALSE(take(2, {3, 1, 0}));
  // Without the gate on one side, it does not.
  EXPECT_TRUE(take(2, {1, 0}));
}

TEST_F(LockGraphTest, AnOrderThatOnlyTriesDoesNotWait) {
  EXPECT_FALSE(take(1, {0, 1}));
  EXPECT_FALSE(take(2, {1, 0}, false, false));
}

TEST_F(LockGraphTest, ReadersDoNotWaitForReaders) {
  EXPECT_FALSE(take(1, {0, 1}, true));
  EXPECT_FALSE(take(2, {1, 0}, true));
  EXPECT_TRUE(take(3, {1, 0}, false));
}

TEST_F(LockGraphTest, JoinsPutOrdersOneAfterTheOther) {
  EXPECT_FALSE(take(1, {0, 1}));
  graph_.joined(kMainThread, ThreadId{1});
  EXPECT_FALSE(take(0, {1, 0}));
  EXPECT_TRUE(take(2, {1, 0}));  // this thread did not wait for the first one
}

TEST_F(LockGraphTest, CreationPutsTheParentsPastBeforeTheChild) {
  EXPECT_FALSE(take(0, {0, 1}));
  graph_.created(kMainThread, ThreadId{4});
  EXPECT_FALSE(take(4, {1, 0}));
  EXPECT_TRUE(take(1, {1, 0}));
}

TEST_F(LockGraphTest, SemaphoresPutOrdersOneAfterTheOther) {
  SyncObject semaphore;
  EXPECT_FALSE(take(1, {0, 1}));
  graph_.release(ThreadId{1}, semaphore);
  graph_.acquire(ThreadId{2}, semaphore);
  EXPECT_FALSE(take(2, {1, 0}));
}

TEST_F(LockGraphTest, ANewLockAtAnOldAddressIsAnotherLock) {
  EXPECT_FALSE(take(1, {0, 1}));
  locks_[0].serial = 100;
  EXPECT_FALSE(take(2, {1, 0}));
}

TEST_F(LockGraphTest, KnowsWhatIsHeld) {
  graph_.acquired(ThreadId{1}, locks_[0], false, true, {});
  graph_.acquired(ThreadId{1}, locks_[1], true, true, {});
  graph_.released(ThreadId{1}, locks_[0]);
  ASSERT_EQ(graph_.held(ThreadId{1}).size(), 1u);
  EXPECT_EQ(graph_.held(ThreadId{1})[0].lock, &locks_[1]);
  EXPECT_TRUE(graph_.held(ThreadId{1})[0].shared);
  EXPECT_TRUE(graph_.held(ThreadId{2}).empty());
}

}  // namespace
}  // namespace heddle::sched
