// Solvers keep to the time of the command.
#include "tool/run/time_limit.h"

#include <gtest/gtest.h>

#include "tests/unit/constraints/trace_builder.h"
#include "tool/constraints/sat.h"
#include "tool/constraints/schedules.h"

namespace heddle::constraints {
namespace {

// Orders nothing: propositional logic alone.
class NoTheory final : public Theory {
 public:
  bool assign(Literal, std::vector<Literal>&) override { return true; }
  void unassign(Literal) override {}
  Literal choose(Variable v) override { return 2 * v; }
  void complete(std::vector<std::vector<Literal>>&) override {}
};

// One pigeon more than there are holes: every proof by resolution is exponentially long (Haken 1985).
void add_pigeons(Sat& sat, std::uint32_t holes) {
  std::vector<std::vector<Literal>> in(holes + 1);
  for (auto& pigeon : in) {
    for (std::uint32_t h = 0; h < holes; ++h) pigeon.push_back(2 * sat.add_variable());
    sat.add_clause(pigeon);
  }
  for (std::uint32_t h = 0; h < holes; ++h) {
    for (std::uint32_t i = 0; i <= holes; ++i) {
      for (std::uint32_t k = 0; k < i; ++k) sat.add_clause({negation(in[i][h]), negation(in[k][h])});
    }
  }
}

TEST(TimeLimit, EndsAQuestionThatTakesForEver) {
  NoTheory theory;
  Sat sat(theory);
  add_pigeons(sat, 40);
  const run::TimeShare share(0.05);
  EXPECT_EQ(sat.solve({}), Answer::kUnknown);
  EXPECT_TRUE(run::time_is_up());
}

// Two threads that count together. Each update may read from every one of the other thread.
SymbolicTrace counting(int updates) {
  TraceBuilder b;
  b.initial(1, 0);
  TraceBuilder::Value last;
  for (int i = 0; i < updates; ++i) {
    for (int thread = 1; thread <= 2; ++thread) {
      last = b.add(thread, 1, 1);
      b.branch(thread, b.greater(last, 1000));
    }
  }
  b.fails_unless(2, b.greater(last, 1000));
  return b.finish();
}

TEST(TimeLimit, EndsTheWritingDownOfConstraints) {
  const SymbolicTrace trace = counting(40);
  const SolvedSchedule whole = solve_failing(trace, {});
  EXPECT_EQ(whole.answer, Answer::kSatisfiable);
  const run::TimeShare none(1e-9);
  const SolvedSchedule cut = solve_failing(trace, {});
  EXPECT_EQ(cut.answer, Answer::kUnknown);
  EXPECT_LT(cut.size.variables, whole.size.variables);
}

TEST(TimeLimit, IsGivenBackByAShare) {
  run::set_time_limit(1000);
  {
    const run::TimeShare share(1e-9);
    EXPECT_TRUE(run::time_is_up());
    const run::TimeShare longer(100);  // no longer than the one around it
    EXPECT_TRUE(run::time_is_up());
  }
  EXPECT_FALSE(run::time_is_up());
  EXPECT_LE(run::seconds_left(), 1000);
  run::set_time_limit(0);
  EXPECT_FALSE(run::time_is_up());
}

}  // namespace
}  // namespace heddle::constraints
