// The solver against all interleavings of small random programs, by brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/constraints/how_many.h"
#include "tests/unit/constraints/random_program.h"
#include "tool/constraints/schedules.h"
#include "tool/constraints/simulate.h"

namespace heddle::constraints {
namespace {

using Goal = Structure::Goal;

constexpr double kMostInterleavings = 1500;

double interleavings(const Threads& threads) {
  double result = 1, placed = 0;
  for (const Thread& thread : threads) {
    for (std::size_t i = 1; i <= visible_actions(thread); ++i) result *= ++placed / static_cast<double>(i);
  }
  return result;
}

// Where initial values are not seen by any read, a trace does not know them: the programs' are read first.
class Case {
 public:
  explicit Case(std::uint64_t seed) {
    Random random(seed);
    threads_ = random_threads(random);
    if (interleavings(threads_) > kMostInterleavings) return;
    std::vector<Interleaving> failing;
    for_each_interleaving(threads_, [&](const Interleaving& order) {
      const Run run = execute(threads_, order);
      if (!run.deadlocked && run.assertion_failed) failing.push_back(order);
    });
    if (failing.empty()) return;
    observed_ = failing[random.below(static_cast<std::uint32_t>(failing.size()))];
    wanted_ = execute(threads_, observed_);
    trace_ = trace_of(threads_, observed_);
    has_failure_ = trace_.bug.condition.expression != kConcrete;
    numbers_.resize(threads_.size());
    for (ActionId i = 0; i < trace_.actions.size(); ++i)
      numbers_[index_of(trace_.actions[i].thread)].push_back(i);
    find_known_cells();
    for_each_interleaving(threads_, [&](const Interleaving& order) {
      const Run run = execute(threads_, order);
      if (run.deadlocked || run.branches != wanted_.branches) return;
      (run.assertion_failed ? failing_ : passing_).insert(schedule_of(order));
    });
  }

  Schedule schedule_of(const Interleaving& order) const {
    std::vector<std::size_t> next(threads_.size());
    Schedule result;
    for (int t : order)
      result.push_back(numbers_[static_cast<std::size_t>(t)][next[static_cast<std::size_t>(t)]++]);
    return result;
  }

  bool has_failure() const { return has_failure_; }
  const SymbolicTrace& trace() const { return trace_; }
  const std::set<Schedule>& failing() const { return failing_; }
  const std::set<Schedule>& passing() const { return passing_; }
  const Threads& threads() const { return threads_; }
  // Every variable's initial value was seen, so that brute force and trace know the same.
  bool all_known() const { return all_known_; }

 private:
  void find_known_cells() {
    const Structure structure(trace_, Goal::kPass);
    all_known_ = std::all_of(structure.cells().begin(), structure.cells().end(),
                             [](const Cell& cell) { return cell.has_initial || cell.reads.empty(); });
  }

  Threads threads_;
  Interleaving observed_;
  Run wanted_;
  SymbolicTrace trace_;
  bool has_failure_ = false, all_known_ = false;
  std::vector<std::vector<ActionId>> numbers_;
  std::set<Schedule> failing_, passing_;
};

bool keeps(const Schedule& schedule, const Ordering& ordering) {
  const auto at = [&](ActionId id) { return std::find(schedule.begin(), schedule.end(), id); };
  return at(ordering.first) < at(ordering.second);
}

void compare_simulation(const Case& c) {
  const Structure structure(c.trace(), Goal::kPass);
  Simulation simulation(structure);
  for_each_interleaving(c.threads(), [&](const Interleaving& order) {
    const Schedule schedule = c.schedule_of(order);
    const Verdict verdict = simulation.run(schedule);
    ASSERT_EQ(verdict.feasible && verdict.fails, c.failing().contains(schedule));
    ASSERT_EQ(verdict.feasible && !verdict.fails, c.passing().contains(schedule));
  });
}

// Without the core no schedule passes; without any one of it, one does.
void compare_cause(const Case& c) {
  const Execution failing = observed_execution(c.trace());
  const RootCause cause = root_cause(c.trace(), failing);
  ASSERT_EQ(cause.answer, Answer::kUnsatisfiable);
  ASSERT_TRUE(cause.minimal);
  ASSERT_EQ(cause.core.empty(), c.passing().empty());
  const auto passes_with = [&](std::size_t without) {
    return std::any_of(c.passing().begin(), c.passing().end(), [&](const Schedule& schedule) {
      for (std::size_t i = 0; i < cause.core.size(); ++i) {
        if (i != without && !keeps(schedule, cause.core[i])) return false;
      }
      return true;
    });
  };
  ASSERT_FALSE(passes_with(cause.core.size()));
  for (std::size_t i = 0; i < cause.core.size(); ++i) ASSERT_TRUE(passes_with(i));

  const Alternates found = alternates(c.trace(), failing, cause);
  ASSERT_EQ(found.found.empty(), c.passing().empty());
  for (const Alternate& alternate : found.found) ASSERT_TRUE(c.passing().contains(alternate.execution.order));
}

TEST(Oracle, AgreesWithAllInterleavings) {
  int compared = 0, with_alternate = 0;
  for (std::uint64_t seed = 1; compared < programs(1000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c(seed);
    if (!c.has_failure() || !c.all_known()) continue;
    ++compared;
    with_alternate += c.passing().empty() ? 0 : 1;
    if (compared % 5 == 0) compare_simulation(c);
    for (const bool observed : {true, false}) {
      const SolvedSchedule failing = solve_failing(c.trace(), {Model::kSequential, observed});
      ASSERT_EQ(failing.answer, Answer::kSatisfiable);
      ASSERT_TRUE(c.failing().contains(failing.execution.order));
    }
    compare_cause(c);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(with_alternate, compared / 5);
}

// The failing condition turned around: a question that often has no answer.
TEST(Oracle, KnowsWhenNothingCanFail) {
  int compared = 0, without = 0;
  for (std::uint64_t seed = 1; compared < programs(1000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c(seed);
    if (!c.has_failure() || !c.all_known()) continue;
    ++compared;
    SymbolicTrace turned = c.trace();
    turned.bug.condition.holds = !turned.bug.condition.holds;
    const SolvedSchedule failing = solve_failing(turned, {Model::kSequential, compared % 2 == 0});
    ASSERT_EQ(failing.answer, c.passing().empty() ? Answer::kUnsatisfiable : Answer::kSatisfiable);
    without += c.passing().empty() ? 1 : 0;
  }
  EXPECT_GT(without, compared / 15);
}

}  // namespace
}  // namespace heddle::constraints
