// Orders in which threads stay on their paths as far as possible, without the solver.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/constraints/trace_builder.h"
#include "tool/constraints/schedules.h"

namespace heddle::constraints {
namespace {

constexpr int kCell = 0, kSecondCell = 1, kLockOfAll = 1, kChanged = 2;
constexpr ThreadId kNobody = kNoThread;

ThreadId numbered(int number) { return ThreadId{static_cast<std::uint16_t>(number)}; }

// The branch that was observed goes the other way.
void flip_last_branch(TraceBuilder& b) {
  Condition& last = b.trace().conditions.back();
  last.holds = !last.holds;
}

// T1's branch comes out otherwise between T0's writes only, all of them in critical sections.
TEST(Along, ABranchIsWaitedForAsALockIs) {
  TraceBuilder b;
  b.initial(kCell, 0);
  for (std::uint32_t i = 1; i <= 20; ++i) {
    b.lock(0, kLockOfAll);
    b.write(0, kCell, i);
    b.unlock(0, kLockOfAll);
  }
  b.lock(1, kLockOfAll);
  b.branch(1, b.equal(b.read(1, kCell), 7));
  flip_last_branch(b);
  b.unlock(1, kLockOfAll);
  const std::vector<WantedPath> wanted{{numbered(1), kNoEvent}};
  const AlongPaths along = find_along(b.finish(), wanted, kNobody, 100'000);
  ASSERT_EQ(along.found.answer, Answer::kSatisfiable);
  EXPECT_EQ(along.arrived, std::vector{numbered(1)});
}

// What can be read in no other way has to be what the branch needs.
TEST(Along, ABranchThatNothingCanChangeIsNotFlipped) {
  TraceBuilder b;
  b.initial(kCell, 0);
  b.branch(1, b.equal(b.read(1, kCell), 1));
  flip_last_branch(b);
  const std::vector<WantedPath> wanted{{numbered(1), kNoEvent}};
  EXPECT_EQ(find_along(b.finish(), wanted, kNobody, 100'000).found.answer, Answer::kUnknown);
}

TEST(Along, WhoCannotArriveDoesNotKeepOthersFromIt) {
  TraceBuilder b;
  b.initial(kCell, 0);
  b.initial(kSecondCell, 0);
  b.branch(1, b.equal(b.read(1, kCell), 5));
  flip_last_branch(b);
  b.branch(2, b.equal(b.read(2, kSecondCell), 1));
  flip_last_branch(b);
  b.write(0, kCell, 1);
  b.write(0, kSecondCell, 1);
  const std::vector<WantedPath> wanted{{numbered(1), kNoEvent}, {numbered(2), kNoEvent}};
  const AlongPaths along = find_along(b.finish(), wanted, kNobody, 100'000);
  ASSERT_EQ(along.found.answer, Answer::kSatisfiable);
  EXPECT_EQ(along.arrived, std::vector{numbered(2)});
}

TEST(Along, TheFailureComesAfterWhatTheOthersDid) {
  TraceBuilder b;
  b.initial(kCell, 0);
  b.read(0, kCell);
  const auto last = static_cast<ActionId>(b.trace().actions.size() - 1);
  b.write(1, kSecondCell, 1);
  b.write(1, kSecondCell, 2);
  const std::vector<WantedPath> wanted{{numbered(0), kNoEvent}, {numbered(1), kNoEvent}};
  const AlongPaths along = find_along(b.finish(), wanted, numbered(0), 100'000);
  ASSERT_EQ(along.found.answer, Answer::kSatisfiable);
  EXPECT_EQ(along.found.execution.order.size(), 3u);
  EXPECT_EQ(along.found.execution.order.back(), last);
}

// T1 and T2 wait, in this order; one signal, and T2 is the one who goes on.
TEST(Along, ASignalIsForWhoeverGoesOn) {
  TraceBuilder b;
  b.lock(1, kLockOfAll);
  b.wait(1, kChanged, kLockOfAll);
  b.lock(2, kLockOfAll);
  b.wait(2, kChanged, kLockOfAll);
  b.sync(0, EventKind::kCondSignal, kChanged);
  b.wake(2, kChanged, kLockOfAll);
  b.unlock(2, kLockOfAll);
  const SymbolicTrace trace = b.finish();
  const std::vector<WantedPath> wanted{{numbered(2), kNoEvent}};
  const AlongPaths along = find_along(trace, wanted, kNobody, 100'000);
  ASSERT_EQ(along.found.answer, Answer::kSatisfiable);
  const std::vector<Place> order = places(trace, along.found.execution);
  const auto signal =
      std::find_if(order.begin(), order.end(), [](const Place& p) { return p.thread == numbered(0); });
  ASSERT_NE(signal, order.end());
  EXPECT_EQ(signal->wakes, numbered(2));
}

// Of two that wait to the end, the one that is to go further is signalled, which takes both of them waiting
// by then.
TEST(Along, WhoIsToGoOnIsSignalled) {
  for (const int who : {1, 2}) {
    TraceBuilder b;
    b.sync(0, EventKind::kCondSignal, kChanged);
    for (const int waiting : {1, 2}) {
      b.lock(waiting, kLockOfAll);
      b.wait(waiting, kChanged, kLockOfAll);
    }
    const SymbolicTrace trace = b.finish();
    const std::vector<WantedPath> wanted{{numbered(who), kNoEvent}};
    const AlongPaths along = find_along(trace, wanted, kNobody, 100'000);
    ASSERT_EQ(along.found.answer, Answer::kSatisfiable);
    const std::vector<ThreadId> woken{numbered(who)};
    const std::vector<Place> order = places(trace, along.found.execution, woken);
    const auto is_signal = [](const Place& p) { return p.thread == numbered(0); };
    const auto signal = std::find_if(order.begin(), order.end(), is_signal);
    ASSERT_NE(signal, order.end());
    EXPECT_EQ(signal->wakes, numbered(who));
  }
}

}  // namespace
}  // namespace heddle::constraints
