#include "tool/trace/stable_names.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

class StableNamesTest : public ::testing::Test {
 protected:
  void creates(std::uint16_t parent, std::uint16_t child) {
    TraceEvent e;
    e.kind = EventKind::kThreadCreate;
    e.thread = ThreadId{parent};
    e.other = ThreadId{child};
    trace_.events.push_back(e);
  }
  void allocates(std::uint16_t thread, Address address, std::uint64_t size) {
    TraceEvent e;
    e.kind = EventKind::kAllocate;
    e.thread = ThreadId{thread};
    e.address = address;
    e.value = size;
    trace_.events.push_back(e);
  }

  Trace trace_;
};

// Whichever of two siblings creates its own child first, the names of all are the same.
TEST_F(StableNamesTest, ThreadsAreNamedByParentAndOrder) {
  creates(0, 1);
  creates(0, 2);
  creates(2, 3);
  creates(1, 4);
  const StableNames names(trace_);
  EXPECT_EQ(names.thread(kMainThread), "0");
  EXPECT_EQ(names.thread(ThreadId{2}), "0.2");
  EXPECT_EQ(names.thread(ThreadId{3}), "0.2.1");
  EXPECT_EQ(names.thread(ThreadId{4}), "0.1.1");
  EXPECT_EQ(names.thread(ThreadId{9}), "?9");
}

TEST_F(StableNamesTest, BlocksAreNamedByThreadAndOrder) {
  creates(0, 1);
  allocates(1, 0x2000, 32);
  allocates(0, 0x1000, 16);
  allocates(1, 0x3000, 8);
  const StableNames names(trace_);
  EXPECT_EQ(names.address(0x1000), "heap 0#1");
  EXPECT_EQ(names.address(0x2008), "heap 0.1#1+8");
  EXPECT_EQ(names.address(0x3007), "heap 0.1#2+7");
  EXPECT_EQ(names.address(0x3008), "");
  EXPECT_EQ(names.address(0x10), "");
}

TEST_F(StableNamesTest, MemoryThatWasUsedAgainIsTheLatestBlock) {
  allocates(0, 0x1000, 16);
  allocates(0, 0x1000, 16);
  EXPECT_EQ(StableNames(trace_).address(0x1008), "heap 0#2+8");
}

}  // namespace
}  // namespace heddle
