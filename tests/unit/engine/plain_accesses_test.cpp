#include "runtime/engine/plain_accesses.h"

#include <gtest/gtest.h>

#include "runtime/engine/wake_probe.h"
#include "tests/unit/engine/small_channel.h"

namespace heddle::engine {
namespace {

memory::Place place_of(std::uint32_t& variable) {
  return {reinterpret_cast<Address>(&variable), sizeof variable, {variable, 0}};
}

TEST(PlainAccessesTest, KnownAccessesAreSkippedOnlyWhereNobodyWantsToSeeThem) {
  PlainAccesses plain;
  plain.start(true, false);
  EXPECT_TRUE(plain.skips_known());
  plain.start(true, true);
  EXPECT_FALSE(plain.skips_known());
  plain.start(false, false);
  EXPECT_FALSE(plain.skips_known());
}

TEST(PlainAccessesTest, StaleVolatileReadLeavesTheNewestValueBehind) {
  PlainAccesses plain;
  std::uint32_t variable = 5;  // what the read is shown
  plain.begin_read(place_of(variable), {9, 0});
  EXPECT_TRUE(plain.has_volatile());
  EXPECT_FALSE(plain.settle().is_write);
  EXPECT_EQ(variable, 9u);
  EXPECT_FALSE(plain.has_volatile());
}

TEST(PlainAccessesTest, WhoWroteMeanwhileKnowsBetter) {
  PlainAccesses plain;
  std::uint32_t variable = 5;
  plain.begin_read(place_of(variable), {9, 0});
  variable = 7;
  plain.settle();
  EXPECT_EQ(variable, 7u);
}

TEST(PlainAccessesTest, ValueOfAVolatileWriteIsCollectedAfterIt) {
  PlainAccesses plain;
  std::uint32_t variable = 5;
  plain.begin_write(place_of(variable), EventId{3});
  variable = 6;
  const PlainAccesses::Written written = plain.settle();
  EXPECT_TRUE(written.is_write);
  EXPECT_TRUE(written.has_changed());
  EXPECT_EQ(written.value.low, 6u);
  EXPECT_EQ(written.event, EventId{3});
}

TEST(PlainAccessesTest, VolatileWriteOfTheSameValueChangesNothing) {
  PlainAccesses plain;
  std::uint32_t variable = 5;
  plain.begin_write(place_of(variable), kNoEvent);
  EXPECT_FALSE(plain.settle().has_changed());
}

TEST(WakeProbeTest, WhatTheWokenThreadDoesIsNoPartOfTheExecution) {
  const testing::SmallChannel channel;
  ChannelHeader& h = channel.header();
  h.current.steps = 10;
  h.event_count = 3;
  WakeProbe probe;
  probe.begin(h, 7, true, false);
  EXPECT_TRUE(probe.is_active());
  h.current.steps = 50;
  h.event_count = 9;
  h.finding_count = 1;
  probe.end(h);
  EXPECT_FALSE(probe.is_active());
  EXPECT_EQ(h.current.steps, 10u);
  EXPECT_EQ(h.event_count.load(), 3u);
  EXPECT_EQ(h.finding_count.load(), 0u);
  EXPECT_EQ(probe.choices, 7u);
}

TEST(WakeProbeTest, ThreadThatCountsItselfOutAndInAgainHasChangedNothing) {
  WakeProbe probe;
  std::uint32_t waiters = 1;
  const auto address = reinterpret_cast<Address>(&waiters);
  probe.note_write(address, sizeof waiters);
  waiters = 0;
  EXPECT_TRUE(probe.has_changed());
  probe.note_write(address, sizeof waiters);
  waiters = 1;
  EXPECT_FALSE(probe.has_changed());
}

TEST(WakeProbeTest, MemoryThatTheThreadAllocatedIsItsOwn) {
  WakeProbe probe;
  std::uint32_t fresh = 1;
  probe.note_fresh(reinterpret_cast<Address>(&fresh), sizeof fresh);
  probe.note_write(reinterpret_cast<Address>(&fresh), sizeof fresh);
  fresh = 2;
  EXPECT_FALSE(probe.has_changed());
}

TEST(WakeProbeTest, ThreadWaitsAgainAsItDid) {
  sched::Thread thread;
  thread.state = sched::ThreadState::kRunnable;
  KeptWait kept;
  kept.wait = sched::WaitKind::kCondition;
  kept.object = 64;
  kept.mutex = 128;
  WakeProbe::put_back(kept, thread);
  EXPECT_EQ(thread.state, sched::ThreadState::kBlocked);
  EXPECT_EQ(thread.wait, sched::WaitKind::kCondition);
  EXPECT_EQ(thread.wait_object, 64u);
  EXPECT_EQ(thread.wait_mutex, 128u);
}

}  // namespace
}  // namespace heddle::engine
