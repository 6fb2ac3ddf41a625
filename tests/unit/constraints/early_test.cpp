// What is known of a failure without the solver: that no value leads to it, or an order that ends with it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/constraints/trace_builder.h"
#include "tool/constraints/possible.h"
#include "tool/constraints/schedules.h"

namespace heddle::constraints {
namespace {

constexpr int kShared = 0, kMark = 1;

// T0 fails between T1's writes only, after it has written z; T1 finds z unwritten later on.
TEST(Early, OtherThreadsNeedNotComeToTheirEnd) {
  TraceBuilder b;
  b.initial(kShared, 0);
  b.initial(kMark, 0);
  const ActionId first = b.write(1, kShared, 1);
  b.write(1, kShared, 0);
  b.branch(1, b.equal(b.read(1, kMark), 0));
  const ActionId before = b.write(0, kMark, 1);
  const auto x = b.read(0, kShared);
  const auto last = static_cast<ActionId>(b.trace().actions.size() - 1);
  b.fails_unless(0, b.equal(x, 0));
  const SymbolicTrace trace = b.finish();
  EXPECT_EQ(solve_failing(trace).answer, Answer::kUnsatisfiable);
  const SolvedSchedule found = find_failing_early(trace, 1000);
  ASSERT_EQ(found.answer, Answer::kSatisfiable);
  EXPECT_EQ(found.execution.order.size(), 3u);
  EXPECT_EQ(found.execution.order.back(), last);
  EXPECT_TRUE(may_fail(trace));
  for (const ActionId id : {first, before})
    EXPECT_EQ(std::count(found.execution.order.begin(), found.execution.order.end(), id), 1);
}

TEST(Early, NoOrderIsFoundWhereABranchBeforeTheFailureForbidsIt) {
  TraceBuilder b;
  b.initial(kShared, 0);
  b.write(1, kShared, 1);
  const auto x = b.read(0, kShared);
  b.branch(0, b.equal(x, 1));
  b.fails_unless(0, b.equal(x, 1));
  EXPECT_EQ(find_failing_early(b.finish(), 1000).answer, Answer::kUnknown);
}

TEST(Early, AFailureThatNoWrittenValueLeadsToIsRuledOut) {
  for (const std::uint32_t most : {1u, 2u}) {
    TraceBuilder b;
    b.initial(kShared, 0);
    const auto x = b.read(0, kShared);
    b.fails_unless(0, b.equal(b.equal(x, 2), 0));
    b.write(1, kShared, most);
    EXPECT_EQ(may_fail(b.finish()), most == 2);
  }
}

}  // namespace
}  // namespace heddle::constraints
