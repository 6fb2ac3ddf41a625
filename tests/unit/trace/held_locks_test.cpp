#include "tool/trace/held_locks.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

class HeldLocksTest : public testing::Test {
 protected:
  EventId add(EventKind kind, Address address, ThreadId thread = kMainThread, std::uint64_t value = 0) {
    TraceEvent event;
    event.id = EventId{static_cast<std::uint32_t>(trace_.events.size())};
    event.kind = kind;
    event.address = address;
    event.thread = thread;
    event.value = value;
    trace_.events.push_back(event);
    return event.id;
  }
  std::vector<Address> held(EventId last, ThreadId thread = kMainThread) {
    std::vector<Address> all;
    for (const HeldLock& lock : held_locks(trace_, thread, last)) all.push_back(lock.address);
    return all;
  }

  Trace trace_;
};

using Addresses = std::vector<Address>;

TEST_F(HeldLocksTest, FollowsLocksOfOneThreadUpToTheMoment) {
  const EventId first = add(EventKind::kMutexLock, 8);
  add(EventKind::kMutexLock, 16, ThreadId{1});
  const EventId both = add(EventKind::kRwlockReadLock, 24);
  const EventId one = add(EventKind::kMutexUnlock, 8);
  EXPECT_EQ(held(first), (Addresses{8}));
  EXPECT_EQ(held(both), (Addresses{8, 24}));
  EXPECT_EQ(held(one), (Addresses{24}));
  EXPECT_FALSE(held_locks(trace_, kMainThread, one)[0].exclusive);
  EXPECT_EQ(held(one, ThreadId{1}), (Addresses{16}));
  EXPECT_EQ(held(kNoEvent), (Addresses{}));
}

TEST_F(HeldLocksTest, RecursiveLocksAreHeldUntilTheLastUnlock) {
  add(EventKind::kMutexLock, 8);
  add(EventKind::kMutexLock, 8);
  EXPECT_EQ(held(add(EventKind::kMutexUnlock, 8)), (Addresses{8}));
  EXPECT_EQ(held(add(EventKind::kMutexUnlock, 8)), (Addresses{}));
}

// What the search for races relies on: between the two unlocks the mutex still keeps others out.
TEST_F(HeldLocksTest, BeforeEachEventRecursiveLocksAreCounted) {
  using Held = std::set<Address>;
  add(EventKind::kMutexLock, 8);
  add(EventKind::kMutexLock, 8);
  add(EventKind::kMutexUnlock, 8);
  add(EventKind::kPlainWrite, 100);
  add(EventKind::kMutexLock, 16, ThreadId{1});
  add(EventKind::kMutexUnlock, 8);
  add(EventKind::kPlainWrite, 100);
  EXPECT_EQ(locks_before_each(trace_.events),
            (std::vector<Held>{Held{}, Held{8}, Held{8}, Held{8}, Held{}, Held{8}, Held{}}));
}

TEST_F(HeldLocksTest, WhatFailedChangesNothing) {
  add(EventKind::kMutexLock, 8);
  add(EventKind::kMutexUnlock, 8);
  trace_.events.back().flags = event_flags::kFailed;
  EXPECT_EQ(held(trace_.events.back().id), (Addresses{8}));
  const EventId failed = add(EventKind::kMutexLock, 16);
  trace_.events.back().flags = event_flags::kFailed;
  EXPECT_EQ(held(failed), (Addresses{8}));
}

TEST_F(HeldLocksTest, AConditionWaitLendsItsMutex) {
  add(EventKind::kMutexLock, 8);
  EXPECT_EQ(held(add(EventKind::kCondWait, 100, kMainThread, 8)), (Addresses{}));
  EXPECT_EQ(held(add(EventKind::kMutexLock, 8)), (Addresses{8}));
  EXPECT_EQ(held(add(EventKind::kMutexUnlock, 8)), (Addresses{}));
}

}  // namespace
}  // namespace heddle
