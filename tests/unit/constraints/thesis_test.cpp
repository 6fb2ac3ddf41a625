// The examples of the thesis' chapter 4, and the counter-example to its claim of 1-recall.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/constraints/trace_builder.h"
#include "tool/cause/projection.h"
#include "tool/constraints/schedules.h"
#include "tool/constraints/simulate.h"
#include "tool/constraints/switches.h"

namespace heddle::constraints {
namespace {

using Goal = Structure::Goal;

// Fig. 4.2: two consumers see the last element, one takes it, the assertion of the other fails.
struct Pfscan {
  static constexpr int kFilled = 0, kMutex = 1;
  SymbolicTrace trace;
  ActionId first_decrement = 0, failing_read = 0, put = 0;

  Pfscan() {
    TraceBuilder b;
    b.write(0, kFilled, 0);  // line 2
    b.lock(0, kMutex);
    const auto filled = b.read(0, kFilled);
    put = b.write(0, kFilled, b.binary(Operator::kAdd, filled, TraceBuilder::number(1)));
    b.unlock(0, kMutex);
    for (int thread : {1, 2}) {  // lines 9 to 11
      b.lock(thread, kMutex);
      b.branch(thread, b.greater(b.read(thread, kFilled), 0));
      b.unlock(thread, kMutex);
    }
    b.lock(1, kMutex);  // lines 18 to 22
    b.branch(1, b.greater(b.read(1, kFilled), 0));
    const auto last = b.read(1, kFilled);
    first_decrement = b.write(1, kFilled, b.binary(Operator::kSubtract, last, TraceBuilder::number(1)));
    b.unlock(1, kMutex);
    b.lock(2, kMutex);
    const auto none = b.read(2, kFilled);
    failing_read = static_cast<ActionId>(b.trace().actions.size() - 1);
    b.fails_unless(2, b.greater(none, 0));
    trace = b.finish();
  }
};

TEST(Thesis, RunningExampleHasASolvedScheduleWithoutTheObservedOrder) {
  const Pfscan example;
  EXPECT_EQ(validate(example.trace), "");
  for (const Model model : {Model::kSequential, Model::kCxx20}) {
    const SolvedSchedule failing = solve_failing(example.trace, {model, false});
    ASSERT_EQ(failing.answer, Answer::kSatisfiable);
    EXPECT_FALSE(failing.soft_dropped);
  }
}

// Fig. 4.3b to d.
TEST(Thesis, RunningExampleFailsBecauseTheOtherConsumerCameFirst) {
  const Pfscan example;
  const Execution failing = observed_execution(example.trace);
  const RootCause cause = root_cause(example.trace, failing);
  ASSERT_EQ(cause.answer, Answer::kUnsatisfiable);
  EXPECT_TRUE(cause.minimal);
  ASSERT_EQ(cause.core.size(), 1u);
  EXPECT_EQ(cause.core[0],
            (Ordering{Ordering::Kind::kBefore, example.first_decrement, example.failing_read}));

  const Alternates found = alternates(example.trace, failing, cause);
  ASSERT_EQ(found.found.size(), 1u);
  EXPECT_FALSE(found.found[0].by_solver);
  const Execution& alternate = found.found[0].execution;
  const Structure structure(example.trace, Goal::kPass);
  EXPECT_EQ(alternate.sources[structure.first_part(example.failing_read)], example.put);
}

TEST(Thesis, SyntheticUnlockLetsTheFailedSectionMove) {
  const Pfscan example;
  EXPECT_TRUE(example.trace.actions.back().synthetic);
  EXPECT_EQ(example.trace.actions.back().kind, EventKind::kMutexUnlock);
}

// Fig. 4.4: x = 0 of T2 comes between x = 1 and the assertion of T1; y and z are entangled.
TEST(Thesis, ContextSwitchReductionDisentangles) {
  TraceBuilder b;
  constexpr int kX = 0, kY = 1, kZ = 2;
  b.write(1, kX, 1);
  b.write(2, kX, 0);
  b.write(1, kY, 1);
  b.read(2, kY);
  b.write(2, kZ, 1);
  b.read(1, kZ);
  b.fails_unless(1, b.binary(Operator::kNotEqual, b.read(1, kX), TraceBuilder::number(0)));
  const SymbolicTrace trace = b.finish();
  const Execution failing = observed_execution(trace);
  const FewerSwitches fewer = reduce_switches(trace, failing, Model::kSequential);
  EXPECT_EQ(fewer.before, 4u);
  EXPECT_EQ(fewer.after, 2u);  // x = 1 has to come first, the assertion last
  const Structure structure(trace, Goal::kFail);
  Simulation simulation(structure);
  const Verdict verdict = simulation.run(fewer.execution.order);
  EXPECT_TRUE(verdict.feasible && verdict.fails);
}

// T0 asserts x and y both 1; T1 sets x, T2 sets y: no single inversion passes, though "1-recall" says that
// one does.
TEST(Thesis, PairsOfPairsWhereNoSingleInversionPasses) {
  TraceBuilder b;
  constexpr int kX = 0, kY = 1;
  const auto x = b.read(0, kX), y = b.read(0, kY);
  b.fails_unless(0, b.both(b.equal(x, 1), b.equal(y, 1)));
  b.write(1, kX, 1);
  b.write(2, kY, 1);
  const SymbolicTrace trace = b.finish();
  const Execution failing = observed_execution(trace);
  const RootCause cause = root_cause(trace, failing);
  ASSERT_EQ(cause.answer, Answer::kUnsatisfiable);
  EXPECT_EQ(cause.core.size(), 1u);  // either read alone makes it fail
  const Alternates found = alternates(trace, failing, cause);
  ASSERT_EQ(found.found.size(), 1u);
  EXPECT_EQ(found.found[0].inverted.size(), 2u);
  EXPECT_FALSE(found.found[0].by_solver);
}

// The branches have to come out as they did: a schedule that would take another path is no alternate.
TEST(Thesis, NoAlternateWhereTheSamePathAlwaysFails) {
  TraceBuilder b;
  b.write(1, 0, 1);
  const auto seen = b.read(0, 0);
  b.branch(0, b.equal(seen, 1));
  b.fails_unless(0, b.equal(seen, 0));
  const SymbolicTrace trace = b.finish();
  const RootCause cause = root_cause(trace, observed_execution(trace));
  EXPECT_EQ(cause.answer, Answer::kUnsatisfiable);
  EXPECT_TRUE(cause.core.empty());
  EXPECT_TRUE(alternates(trace, observed_execution(trace), cause).found.empty());
}

}  // namespace
}  // namespace heddle::constraints
