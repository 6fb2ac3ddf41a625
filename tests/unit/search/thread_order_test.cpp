#include "tool/search/thread_order.h"

#include <gtest/gtest.h>

namespace heddle::search {
namespace {

class Events {
 public:
  std::uint32_t add(unsigned thread, EventKind kind, unsigned other = 0) {
    TraceEvent event;
    event.thread = ThreadId{static_cast<std::uint16_t>(thread)};
    event.kind = kind;
    event.other = kind == EventKind::kThreadCreate || kind == EventKind::kThreadJoin
                      ? ThreadId{static_cast<std::uint16_t>(other)}
                      : kNoThread;
    all.push_back(event);
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  std::vector<TraceEvent> all;
};

TEST(ThreadOrder, OneAfterTheOtherAndBothAtOnce) {
  Events e;
  const auto before = e.add(0, EventKind::kPlainWrite);
  e.add(0, EventKind::kThreadCreate, 1);
  const auto first = e.add(1, EventKind::kMutexLock);
  e.add(0, EventKind::kThreadJoin, 1);
  e.add(0, EventKind::kThreadCreate, 2);
  e.add(0, EventKind::kThreadCreate, 3);
  const auto second = e.add(2, EventKind::kMutexLock);
  const auto third = e.add(3, EventKind::kMutexLock);
  const auto meanwhile = e.add(0, EventKind::kPlainWrite);
  e.add(0, EventKind::kThreadJoin, 2);
  const auto after = e.add(0, EventKind::kPlainWrite);
  const ThreadOrder order(e.all);
  EXPECT_TRUE(order.is_ordered(before, third));
  EXPECT_TRUE(order.is_ordered(first, second));
  EXPECT_TRUE(order.is_ordered(third, first));
  EXPECT_FALSE(order.is_ordered(second, third));
  EXPECT_FALSE(order.is_ordered(second, meanwhile));
  EXPECT_TRUE(order.is_ordered(second, after));
  EXPECT_FALSE(order.is_ordered(third, after));
}

// Compositions have the threads of one execution behind those of another.
TEST(ThreadOrder, DoesNotNeedThreadsInOneOrder) {
  Events e;
  const auto child = e.add(1, EventKind::kPlainWrite);
  const auto grandchild = e.add(2, EventKind::kPlainWrite);
  const auto before = e.add(0, EventKind::kPlainWrite);
  e.add(0, EventKind::kThreadCreate, 1);
  e.add(0, EventKind::kThreadJoin, 1);
  const auto after = e.add(0, EventKind::kPlainWrite);
  e.add(1, EventKind::kThreadCreate, 2);
  const ThreadOrder order(e.all);
  EXPECT_TRUE(order.is_ordered(before, grandchild));
  EXPECT_TRUE(order.is_ordered(child, after));
  EXPECT_TRUE(order.is_ordered(child, grandchild));
  EXPECT_FALSE(order.is_ordered(grandchild, after));
}

TEST(ThreadOrder, SaysNothingOfWhatCannotBeFollowed) {
  Events e;
  e.add(1, EventKind::kThreadCreate, 2);
  const auto a = e.add(1, EventKind::kPlainWrite);
  e.add(2, EventKind::kThreadCreate, 1);
  const auto b = e.add(2, EventKind::kPlainWrite);
  EXPECT_FALSE(ThreadOrder(e.all).is_ordered(a, b));
}

}  // namespace
}  // namespace heddle::search
