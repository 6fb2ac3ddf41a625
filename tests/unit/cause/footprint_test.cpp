#include "tool/cause/footprint.h"

#include <gtest/gtest.h>

namespace heddle::cause {
namespace {

TraceEvent event(std::uint32_t id, EventKind kind, Address address, std::uint64_t value = 0) {
  TraceEvent e;
  e.id = EventId{id};
  e.kind = kind;
  e.address = address;
  e.value = value;
  e.size = 4;
  return e;
}

TEST(FootprintTest, AFreedBlockIsWrittenAsAWhole) {
  Trace trace;
  trace.events = {event(0, EventKind::kAllocate, 0x1000, 64), event(1, EventKind::kPlainRead, 0x1020),
                  event(2, EventKind::kPlainRead, 0x1040), event(3, EventKind::kFree, 0x1000)};
  const auto footprints = footprints_of(trace);
  EXPECT_TRUE(footprints[0].is_none());
  EXPECT_TRUE(footprints[3].conflicts(footprints[1]));
  EXPECT_FALSE(footprints[3].conflicts(footprints[2])) << "behind its end";
  EXPECT_FALSE(footprints[1].conflicts(footprints[1])) << "two reads";
}

TEST(FootprintTest, CallsOnOneDescriptorConflict) {
  Trace trace;
  trace.texts = {"", "write", "read"};
  trace.events = {event(0, EventKind::kBlockingCall, 0, 3), event(1, EventKind::kBlockingCall, 0, 3),
                  event(2, EventKind::kBlockingCall, 0, 4), event(3, EventKind::kPlainWrite, 3)};
  for (int i : {0, 2}) trace.events[static_cast<std::size_t>(i)].text = 1;
  trace.events[1].text = 2;
  const auto footprints = footprints_of(trace);
  EXPECT_TRUE(footprints[0].conflicts(footprints[1]));
  EXPECT_FALSE(footprints[0].overlaps(footprints[2]));
  EXPECT_FALSE(footprints[0].overlaps(footprints[3]));
  EXPECT_TRUE(is_sending_call(trace, trace.events[0]));
  EXPECT_FALSE(is_sending_call(trace, trace.events[1]));
}

TEST(FootprintTest, AUseOfFreedMemoryIsTheLastOfItsExecution) {
  Trace trace;
  trace.events = {event(0, EventKind::kFree, 0x1000)};
  TraceFinding finding;
  finding.kind = FindingKind::kHeapUseAfterFree;
  TracePart here;
  here.role = PartRole::kHere;
  here.access = AccessKind::kRead;
  here.thread = ThreadId{2};
  here.pc = 7;
  here.address = 0x1008;
  finding.parts = {here};
  trace.findings = {finding};
  const Trace with = with_attempts(trace, nullptr);
  ASSERT_EQ(with.events.size(), 2u);
  EXPECT_EQ(with.events[1].id, EventId{1});
  EXPECT_EQ(with.events[1].kind, EventKind::kPlainRead);
  EXPECT_EQ(with.events[1].thread, ThreadId{2});
  EXPECT_EQ(with.events[1].address, 0x1008u);
  trace.findings[0].kind = FindingKind::kAssertion;
  EXPECT_EQ(with_attempts(trace, nullptr).events.size(), 1u);
}

TEST(FootprintTest, WhatAThreadDidNextElsewhereIsWhatItWasAboutToDo) {
  Trace failing, passing;
  failing.events = {event(0, EventKind::kAtomicStore, 0x10)};
  passing.events = {event(0, EventKind::kAtomicStore, 0x10), event(1, EventKind::kMutexLock, 0x80),
                    event(2, EventKind::kAtomicStore, 0x30), event(3, EventKind::kAtomicStore, 0x20)};
  for (TraceEvent& e : passing.events) e.thread = ThreadId{3};
  passing.events[1].pc = 9;
  passing.events[2].thread = ThreadId{4};
  TraceFinding finding;
  finding.kind = FindingKind::kAssertion;
  TracePart running;
  running.role = PartRole::kRunningThread;
  running.thread = ThreadId{3};
  running.pc = 9;
  finding.parts = {running};
  failing.findings = {finding};
  const Trace with = with_attempts(failing, &passing);
  ASSERT_EQ(with.events.size(), 3u);
  EXPECT_EQ(with.events[1].kind, EventKind::kMutexLock);
  EXPECT_EQ(with.events[2].address, 0x20u);
  EXPECT_EQ(with.events[2].id, EventId{2});
}

}  // namespace
}  // namespace heddle::cause
