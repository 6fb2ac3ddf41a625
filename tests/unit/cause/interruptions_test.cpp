#include "tool/cause/interruptions.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace heddle::cause {
namespace {

struct Doing {
  std::uint16_t thread;
  EventKind kind;
  Address address;
};
constexpr EventKind kRead = EventKind::kAtomicLoad, kWrite = EventKind::kAtomicStore;

// Each step is at a place of its own.
Trace trace_of(std::initializer_list<Doing> steps) {
  Trace trace;
  for (const Doing& step : steps) {
    TraceEvent e;
    e.id = EventId{static_cast<std::uint32_t>(trace.events.size())};
    e.thread = ThreadId{step.thread};
    e.kind = step.kind;
    e.address = step.address;
    e.size = 4;
    e.pc = 0x100 + trace.events.size();
    trace.events.push_back(e);
  }
  return trace;
}

std::pair<std::uint32_t, std::uint32_t> places(const Interruption& one) {
  return {index_of(one.first->id), index_of(one.last->id)};
}

using Places = std::pair<std::uint32_t, std::uint32_t>;

TEST(InterruptionsTest, WhatWasReadAndIsWrittenThoughOthersChangedItComesFirst) {
  const Trace trace = trace_of({{1, kWrite, 0x20},
                                {1, kRead, 0x10},
                                {2, kWrite, 0x10},
                                {2, kWrite, 0x20},
                                {1, kRead, 0x20},
                                {1, kWrite, 0x10}});
  const auto found = interruptions(trace, {});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(places(found.front()), Places(1, 5));
  EXPECT_EQ(index_of(found.front().between->id), 2u);
}

TEST(InterruptionsTest, ACircleByWayOfSeveralVariablesIsSeen) {
  const Trace trace = trace_of({{1, kWrite, 0x10}, {2, kRead, 0x10}, {2, kWrite, 0x20}, {1, kRead, 0x20}});
  const auto found = interruptions(trace, {});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(places(found.front()), Places(0, 3));
}

TEST(InterruptionsTest, WholeStepsAreNoInterruption) {
  EXPECT_TRUE(interruptions(trace_of({{1, kWrite, 0x10}, {2, kRead, 0x10}, {1, kRead, 0x10}}), {}).empty());
  EXPECT_TRUE(interruptions(trace_of({{1, kRead, 0x10}, {2, kWrite, 0x20}, {1, kWrite, 0x10}}), {}).empty());
}

TEST(InterruptionsTest, WhatTheFailureWasDecidedByComesFirst) {
  const Trace trace = trace_of({{1, kRead, 0x10},
                                {2, kWrite, 0x10},
                                {1, kWrite, 0x10},
                                {3, kWrite, 0x30},
                                {2, kRead, 0x30},
                                {3, kWrite, 0x30}});
  FailureCurve curve;
  curve.jumps = {{1, EventId{4}, 0.1, 0.9}};
  EXPECT_EQ(places(interruptions(trace, {}).front()), Places(0, 2));
  EXPECT_EQ(places(interruptions(trace, curve).front()), Places(3, 5));
}

TEST(InterruptionsTest, APairOfPlacesComesOnce) {
  Trace trace = trace_of({{1, kRead, 0x10},
                          {2, kWrite, 0x10},
                          {1, kWrite, 0x10},
                          {1, kRead, 0x10},
                          {2, kWrite, 0x10},
                          {1, kWrite, 0x10}});
  for (const std::size_t i : {0, 1, 2}) trace.events[i + 3].pc = trace.events[i].pc;
  std::size_t of_these = 0;
  for (const Interruption& one : interruptions(trace, {}))
    of_these += one.first->pc == trace.events[0].pc && one.last->pc == trace.events[2].pc ? 1 : 0;
  EXPECT_EQ(of_these, 1u);
}

}  // namespace
}  // namespace heddle::cause
