#include "tool/search/path_alternates.h"

#include <algorithm>
#include <chrono>

#include "tool/cause/comparison.h"
#include "tool/cause/interventions.h"
#include "tool/run/time_limit.h"
#include "tool/search/branches.h"
#include "tool/search/executions.h"
#include "tool/search/goals.h"

namespace heddle::search {
namespace {

using Clock = std::chrono::steady_clock;

// Where the thread that failed was.
std::uint32_t failure_event(const Composition& of) {
  for (const symbolic::Record& r : of.tables.records) {
    if (r.kind == symbolic::RecordKind::kFailure && r.event != kNoEvent) return index_of(r.event);
  }
  return static_cast<std::uint32_t>(of.trace.events.size());
}

void show(Explanation& explanation, Trace failed, cause::Comparison comparison) {
  cause::count_all(failed, explanation);
  explanation.failing = std::move(comparison.failing);
  explanation.passing = std::move(comparison.passing);
  explanation.failing.trace = std::move(failed);
}

}  // namespace

Result<Explanation> explain_by_flips(const run::Target& target, const Trace& failing,
                                     const PathAlternateOptions& options) {
  const auto began = Clock::now();
  auto executions = Executions::start(target, failing.spec, options.allowed_exits, failing.execution);
  if (!executions) return executions.error();
  Executed original;
  original.choices = failing.choices;
  original.result.trace_hash = failing.result.trace_hash;
  auto run = executions->trace(original);
  if (!run) return run.error();
  auto failed =
      cause::trace_in_full(target, failing.spec, failing.execution, failing.choices, options.allowed_exits);
  if (!failed) return failed.error();
  std::map<Address, std::uint8_t> initial;
  learn_initial(**run, initial);
  executions->learn_static(**run, initial);
  const Composition of = composition_of(**run, initial);
  std::vector<Branch> branches = branches_near(of, {failure_event(of)});
  if (branches.size() > options.most_branches) branches.resize(options.most_branches);
  Explanation explanation;
  explanation.by_intervention = false;
  explanation.on_other_paths = true;
  std::optional<cause::Comparison> best;
  std::vector<Choice> nearest;
  for (const Branch& branch : branches) {
    const bool is_late =
        run::time_is_up() || std::chrono::duration<double>(Clock::now() - began).count() > options.seconds;
    if (explanation.passed >= options.most_passing || is_late) break;
    for (const Others others : {Others::kWhole, Others::kStopThen}) {
      const auto trace = ask_for_flip(of, branch.record, others);
      if (!trace) continue;
      constraints::SolveOptions how;
      how.most_conflicts = 20'000;
      const auto solved = constraints::solve_failing(*trace, how);
      if (solved.answer != constraints::Answer::kSatisfiable) continue;
      ++explanation.pairs_tried;
      ++explanation.interventions;
      auto executed = executions->follow(of, *trace, solved.execution);
      if (!executed) return executed.error();
      if (!executed->passes) continue;
      ++explanation.passed;
      auto passing = cause::trace_in_full(target, failing.spec, failing.execution, executed->choices,
                                          options.allowed_exits);
      if (!passing) return passing.error();
      cause::Comparison comparison = cause::compare_paths(*failed, std::move(*passing));
      if (comparison.says_something() && (!best || comparison.difference < best->difference)) {
        best = std::move(comparison);
        nearest = executed->choices;
      }
      break;
    }
  }
  explanation.solver_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  if (!best) {
    explanation.why_not_solved = "no branch near the failure goes the other way in an execution that passes.";
    explanation.failing.trace = std::move(*failed);
    return explanation;
  }
  if (auto both = cause::trace_both(target, failing, nearest, options.allowed_exits)) {
    *best = cause::compare_paths(both->failing, std::move(both->passing));
    *failed = std::move(both->failing);
  }
  show(explanation, std::move(*failed), std::move(*best));
  explanation.failing.trace.minimised = failing.minimised;
  explanation.failing.trace.departures = failing.departures;
  return explanation;
}

Result<Explanation> project(const run::Target& target, const Trace& failing, Trace passing,
                            const std::vector<int>& allowed_exits) {
  Explanation explanation;
  explanation.by_intervention = false;
  explanation.on_other_paths = true;
  auto both = cause::trace_both(target, failing, passing.choices, allowed_exits);
  if (!both) return both.error();
  cause::Comparison comparison = cause::compare_paths(both->failing, std::move(both->passing));
  show(explanation, std::move(both->failing), std::move(comparison));
  return explanation;
}

}  // namespace heddle::search
