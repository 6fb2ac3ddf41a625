// φ_sync and the bugs that are not conditions: each primitive by the smallest trace that shows its rule,
// asked of the solver from an order that breaks the rule.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/constraints/trace_builder.h"
#include "tool/constraints/schedules.h"
#include "tool/constraints/simulate.h"

namespace heddle::constraints {
namespace {

using Goal = Structure::Goal;
constexpr int kVariable = 0, kLock = 1, kCondition = 2;

// Can the read of `trace`'s failure come to what makes it fail? By the solver, from no order.
Answer can_fail(const SymbolicTrace& trace) {
  EXPECT_EQ(validate(trace), "");
  return solve_failing(trace, {Model::kSequential, false}).answer;
}
Answer can_pass(SymbolicTrace trace) {
  trace.bug.condition.holds = !trace.bug.condition.holds;
  return can_fail(trace);
}

TEST(Synchronisation, CreationAndJoinOrder) {
  TraceBuilder b;
  b.write(0, kVariable, 1);
  b.create(0, 1);
  b.branch(1, b.equal(b.read(1, kVariable), 1));
  b.write(1, kVariable, 2);
  b.join(0, 1);
  b.fails_unless(0, b.equal(b.read(0, kVariable), 1));  // reads 2
  const SymbolicTrace trace = b.finish();
  EXPECT_EQ(can_fail(trace), Answer::kSatisfiable);
  EXPECT_EQ(can_pass(trace), Answer::kUnsatisfiable);
}

TEST(Synchronisation, WhatNobodyKnowsMattersOnlyToBranches) {
  // Of a composed trace: nobody saw what y was at first. T1 passes what it reads of it on; only x decides.
  constexpr int kOther = 3, kCopy = 4;
  TraceBuilder b;
  b.write(2, kOther, 7);
  b.write(1, kCopy, b.read(1, kOther));
  b.write(2, kVariable, 1);
  b.fails_unless(1, b.equal(b.read(1, kVariable), 0));  // reads 1
  SymbolicTrace trace = b.finish();
  trace.is_composed = true;
  trace.initial = {{trace.actions[3].address, 0},
                   {trace.actions[3].address + 1, 0},
                   {trace.actions[3].address + 2, 0},
                   {trace.actions[3].address + 3, 0}};
  // T1 in front: before the first write of y, if it has to be.
  Structure structure(trace, Goal::kPass);
  Simulation simulation(structure);
  const Verdict verdict = simulation.run(std::vector<ActionId>{1, 2, 4, 0, 3}, true);
  EXPECT_TRUE(verdict.feasible) << verdict.reason;
  EXPECT_FALSE(verdict.fails);
  EXPECT_EQ(can_pass(trace), Answer::kSatisfiable);
}

TEST(Synchronisation, AWaitEndsByASignalThatCameMeanwhile) {
  // T1 waits until T2 has set x under the mutex and signalled; what it then reads cannot be older.
  const auto build = [](std::uint8_t flags) {
    TraceBuilder b;
    b.initial(kVariable, 0);
    b.read(3, kVariable);
    b.lock(1, kLock);
    b.wait(1, kCondition, kLock);
    b.lock(2, kLock);
    b.read(2, kVariable);
    b.write(2, kVariable, 1);
    b.sync(2, EventKind::kCondSignal, kCondition);
    b.unlock(2, kLock);
    b.wake(1, kCondition, kLock, flags);
    b.fails_unless(1, b.equal(b.read(1, kVariable), 0));
    b.unlock(1, kLock);
    return b.finish();
  };
  EXPECT_EQ(can_fail(build(0)), Answer::kSatisfiable);
  EXPECT_EQ(can_pass(build(0)), Answer::kUnsatisfiable);
  EXPECT_EQ(can_pass(build(event_flags::kSpurious)), Answer::kSatisfiable);
  EXPECT_EQ(can_pass(build(event_flags::kTimedOut)), Answer::kSatisfiable);
}

TEST(Synchronisation, ASignalWakesAtMostOneAndABroadcastAll) {
  for (const EventKind kind : {EventKind::kCondSignal, EventKind::kCondBroadcast}) {
    TraceBuilder b;
    for (int t : {1, 2}) {
      b.lock(t, kLock);
      b.wait(t, kCondition, kLock);
    }
    b.sync(3, kind, kCondition);
    for (int t : {1, 2}) {
      b.wake(t, kCondition, kLock);
      b.unlock(t, kLock);
    }
    b.fails_unless(1, b.equal(b.read(1, kVariable), 1));
    const SymbolicTrace trace = b.finish();
    const bool all = kind == EventKind::kCondBroadcast;
    EXPECT_EQ(can_fail(trace), all ? Answer::kSatisfiable : Answer::kUnsatisfiable);
    const Structure structure(trace, Goal::kFail);
    EXPECT_EQ(Simulation(structure).run(structure.observed()).feasible, all);
  }
}

TEST(Synchronisation, RecursiveMutexesAreHeldUntilTheLastUnlock) {
  TraceBuilder b;
  b.lock(1, kLock);
  b.lock(1, kLock);
  b.write(1, kVariable, 1);
  b.unlock(1, kLock);
  b.write(1, kVariable, 0);
  b.unlock(1, kLock);
  b.lock(2, kLock);
  b.fails_unless(2, b.equal(b.read(2, kVariable), 1));  // never sees the 1 in between
  const SymbolicTrace trace = b.finish();
  EXPECT_EQ(can_fail(trace), Answer::kSatisfiable);
  EXPECT_EQ(can_pass(trace), Answer::kUnsatisfiable);
}

TEST(Synchronisation, ReadersShareAndWritersDoNot) {
  for (const bool both_read : {true, false}) {
    TraceBuilder b;
    b.initial(kVariable, 0);
    b.sync(1, EventKind::kRwlockReadLock, kLock);
    const auto before = b.read(1, kVariable);
    const auto after = b.read(1, kVariable);
    b.sync(1, EventKind::kRwlockUnlock, kLock);
    b.sync(2, both_read ? EventKind::kRwlockReadLock : EventKind::kRwlockWriteLock, kLock);
    b.write(2, kVariable, 1);
    b.sync(2, EventKind::kRwlockUnlock, kLock);
    b.fails_unless(1, b.binary(Operator::kNotEqual, before, after));  // they are equal here
    const SymbolicTrace trace = b.finish();
    EXPECT_EQ(can_pass(trace), both_read ? Answer::kSatisfiable : Answer::kUnsatisfiable);
  }
}

TEST(Synchronisation, SemaphoresNeedATokenFromAPostOrTheStart) {
  for (const std::uint64_t tokens : {0u, 1u}) {
    TraceBuilder b;
    b.initial(kVariable, 0);
    b.read(0, kVariable);
    b.write(1, kVariable, 1);
    b.sync(1, EventKind::kSemaphorePost, kLock, tokens + 1);
    b.sync(2, EventKind::kSemaphoreWait, kLock, tokens);
    b.fails_unless(2, b.equal(b.read(2, kVariable), 0));
    EXPECT_EQ(can_pass(b.finish()), tokens == 0 ? Answer::kUnsatisfiable : Answer::kSatisfiable);
  }
}

TEST(Synchronisation, BarriersLetNobodyPassBeforeAllArrived) {
  TraceBuilder b;
  b.initial(kVariable, 0);
  b.read(3, kVariable);
  b.write(1, kVariable, 1);
  b.sync(1, EventKind::kBarrierWait, kLock, 1);
  b.sync(2, EventKind::kBarrierWait, kLock, 2);
  b.fails_unless(2, b.equal(b.read(2, kVariable), 0));
  EXPECT_EQ(can_pass(b.finish()), Answer::kUnsatisfiable);
}

TEST(Synchronisation, OnceIsDoneBeforeAnybodyGoesOn) {
  TraceBuilder b;
  b.initial(kVariable, 0);
  b.read(3, kVariable);
  b.write(1, kVariable, 1);
  b.sync(1, EventKind::kOnce, kLock);
  b.sync(2, EventKind::kOnce, kLock);
  b.fails_unless(2, b.equal(b.read(2, kVariable), 0));
  EXPECT_EQ(can_pass(b.finish()), Answer::kUnsatisfiable);
}

TEST(Synchronisation, AnAttemptThatFailedFellIntoASection) {
  TraceBuilder b;
  b.initial(kVariable, 0);
  b.read(3, kVariable);
  b.write(1, kVariable, 1);
  b.lock(1, kLock);
  b.sync(2, EventKind::kMutexTryLockFailed, kLock);
  b.unlock(1, kLock);
  b.fails_unless(2, b.equal(b.read(2, kVariable), 0));
  EXPECT_EQ(can_pass(b.finish()), Answer::kUnsatisfiable);
}

TEST(Synchronisation, FreedMemoryIsNotTouchedByAnAlternate) {
  TraceBuilder b;
  const auto block = [&](EventKind kind, int thread) {
    Action a;
    a.kind = kind;
    a.thread = ThreadId(static_cast<std::uint16_t>(thread));
    a.address = 0x100000;  // of variable 0
    a.value = 8;
    b.push(a);
  };
  b.initial(1, 0);
  b.read(3, 1);
  block(EventKind::kAllocate, 1);
  b.write(1, 1, 1);
  b.write(1, kVariable, 1);
  block(EventKind::kFree, 2);
  b.fails_unless(2, b.equal(b.read(2, 1), 0));
  // Only by freeing before the other thread's write to the block could the failing read come first.
  EXPECT_EQ(can_pass(b.finish()), Answer::kUnsatisfiable);
}

TEST(Bugs, ADeadlockIsCausedByTheTwoOrdersInWhichLocksWereTaken) {
  TraceBuilder b;
  constexpr int kA = 1, kB = 2;
  b.lock(1, kA);
  b.lock(2, kB);
  SymbolicTrace& trace = b.trace();
  trace.bug.kind = BugKind::kDeadlock;
  for (const auto& [thread, lock] : {std::pair{1, kB}, std::pair{2, kA}}) {
    Action attempt;
    attempt.kind = EventKind::kMutexLock;
    attempt.thread = ThreadId(static_cast<std::uint16_t>(thread));
    attempt.address = TraceBuilder::object_address(lock);
    attempt.synthetic = true;
    b.push(attempt);
  }
  const SymbolicTrace whole = b.finish();
  EXPECT_EQ(can_fail(whole), Answer::kSatisfiable);
  const Execution failing = observed_execution(whole);
  EXPECT_EQ(failing.order.size(), 2u);
  const RootCause cause = root_cause(whole, failing);
  ASSERT_EQ(cause.answer, Answer::kUnsatisfiable);
  EXPECT_EQ(cause.core.size(), 2u);
  EXPECT_EQ(alternates(whole, failing, cause).found.size(), 1u);
}

TEST(Bugs, ARaceIsAbsentWhereALockOrders) {
  // T1 publishes x by the section that T2 may enter before or after.
  TraceBuilder b;
  b.lock(2, kLock);
  b.unlock(2, kLock);
  b.trace().bug.kind = BugKind::kRace;
  b.trace().bug.first = b.write(1, kVariable, 1);
  b.lock(1, kLock);
  b.unlock(1, kLock);
  b.trace().bug.second = b.write(2, kVariable, 2);
  const SymbolicTrace trace = b.finish();
  EXPECT_EQ(can_fail(trace), Answer::kSatisfiable);
  const Execution failing = observed_execution(trace);
  const RootCause cause = root_cause(trace, failing);
  ASSERT_EQ(cause.core.size(), 1u);
  EXPECT_EQ(trace.actions[cause.core[0].first].kind, EventKind::kMutexUnlock);
  EXPECT_EQ(alternates(trace, failing, cause).found.size(), 1u);
}

TEST(Bugs, ARaceOfUnsynchronisedThreadsHasNoAlternate) {
  TraceBuilder b;
  b.trace().bug.kind = BugKind::kRace;
  b.trace().bug.first = b.write(1, kVariable, 1);
  b.trace().bug.second = b.write(2, kVariable, 2);
  const SymbolicTrace trace = b.finish();
  const RootCause cause = root_cause(trace, observed_execution(trace));
  EXPECT_EQ(cause.answer, Answer::kUnsatisfiable);
  EXPECT_TRUE(cause.core.empty());  // nothing but more synchronisation would help
}

TEST(Bugs, UseAfterFreeIsAnOrder) {
  TraceBuilder b;
  Action free;
  free.kind = EventKind::kFree;
  free.thread = ThreadId{1};
  free.address = 0x100000;
  b.trace().bug.kind = BugKind::kUseAfterFree;
  b.trace().bug.first = b.push(free);
  b.read(2, kVariable);
  b.trace().bug.second = 1;
  const SymbolicTrace trace = b.finish();
  EXPECT_EQ(can_fail(trace), Answer::kSatisfiable);
  const Execution failing = observed_execution(trace);
  const RootCause cause = root_cause(trace, failing);
  ASSERT_EQ(cause.core.size(), 1u);
  const Alternates found = alternates(trace, failing, cause);
  ASSERT_EQ(found.found.size(), 1u);
  EXPECT_EQ(found.found[0].execution.order, (std::vector<ActionId>{1, 0}));
}

// Accesses of different sizes share bytes.
TEST(Memory, MixedSizesAreReadByteByByte) {
  TraceBuilder b;
  b.write(1, kVariable, 0x01020304);
  Action byte;
  byte.kind = EventKind::kPlainWrite;
  byte.thread = ThreadId{2};
  byte.address = 0x100001;
  byte.size = 1;
  byte.value = 0xff;
  b.push(byte);
  const auto seen = b.read(3, kVariable);
  b.fails_unless(3, b.equal(seen, 0x0102ff04));
  SymbolicTrace trace = b.finish();
  trace.bug.condition.holds = true;  // it fails when it has both
  EXPECT_EQ(can_fail(trace), Answer::kSatisfiable);
  const Structure structure(trace, Goal::kFail);
  EXPECT_EQ(structure.parts_of(2).size(), 3u);
}

}  // namespace
}  // namespace heddle::constraints
