#include "tool/search/search.h"

#include <algorithm>

#include "tool/constraints/possible.h"
#include "tool/run/time_limit.h"

namespace heddle::search {

using constraints::Answer;
using Clock = std::chrono::steady_clock;

namespace {
constexpr std::uint64_t kMostEarlySteps = 100'000;
}

Search::Search(Executions& executions, SearchOptions options)
    : executions_(executions), options_(options), began_(run::worked_seconds()) {}

bool Search::is_over() {
  const bool over = run::time_is_up() || counts_.executions >= options_.most_executions ||
                    run::worked_seconds() - began_ > options_.seconds;
  gave_up_ = gave_up_ || over;
  return over;
}

Result<bool> Search::keep(const Executed& executed, std::vector<Flip> flips, std::size_t base,
                          std::uint32_t distance) {
  auto traced = executions_.trace(executed);
  if (!traced) return traced.error();
  if (!known_.insert((*traced)->paths()).second) return false;
  learn_initial(**traced, initial_);
  executions_.learn_static(**traced, initial_);
  database_.add((*traced)->paths());
  runs_.push_back({std::move(*traced), executed.choices, std::move(flips), base, distance,
                   executions_.shared_generation()});
  return true;
}

Result<bool> Search::add(const Executed& run) {
  auto kept = keep(run, {}, runs_.size() + 1, 0);
  production_ = runs_.size();
  return kept;
}

// Traces from before more memory was known to be shared lack the accesses to it.
Status Search::refresh() {
  for (bool again = true; again;) {
    again = false;
    for (Run& run : runs_) {
      if (run.generation == executions_.shared_generation()) continue;
      if (is_over()) return Done{};  // each is an execution; who called asks the same
      Executed executed;
      executed.choices = run.choices;
      auto traced = executions_.trace(executed);
      if (!traced) return traced.error();
      run.run = std::move(*traced);
      run.generation = executions_.shared_generation();
      learn_initial(*run.run, initial_);
      executions_.learn_static(*run.run, initial_);
      again = true;
    }
  }
  known_.clear();
  for (const Run& run : runs_) known_.insert(run.run->paths());
  return Done{};
}

std::optional<Search::Solved> Search::find_early(const constraints::SymbolicTrace& trace, Attempt& attempt) {
  ++counts_.questions;
  const auto began = Clock::now();
  constraints::SolvedSchedule found = constraints::find_failing_early(trace, kMostEarlySteps);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  counts_.solver_seconds += seconds;
  attempt.seconds += seconds;
  if (found.answer != Answer::kSatisfiable) return std::nullopt;
  attempt.answer = found.answer;
  return Solved{trace, std::move(found.execution)};
}

std::optional<Search::Solved> Search::solve(
    const std::function<std::optional<constraints::SymbolicTrace>(Others)>& ask, Attempt& attempt,
    Early early) {
  std::optional<constraints::SymbolicTrace> whole;
  for (const Others others : {Others::kWhole, Others::kStopThen}) {
    auto trace = ask(others);
    if (!trace) continue;
    const bool may_be = constraints::may_fail(*trace);
    if (may_be && others == Others::kWhole) {
      if (early == Early::kFirst) {
        if (auto found = find_early(*trace, attempt)) return found;
      } else {
        whole = *trace;
      }
    }
    // What is sequentially consistent is so in every model, and found sooner.
    for (const constraints::Model model : {constraints::Model::kSequential, constraints::Model::kCxx20}) {
      const bool weak = model == constraints::Model::kCxx20;
      const bool is_weaker = std::any_of(trace->actions.begin(), trace->actions.end(), [](const auto& a) {
        return a.is_atomic() && a.order != MemoryOrder::kSeqCst;
      });
      if (weak && (!executions_.is_weak() || !is_weaker)) continue;
      if (!weak && !may_be) {
        attempt.answer = Answer::kUnsatisfiable;
        continue;
      }
      constraints::SolveOptions how;
      how.model = model;
      how.most_conflicts = options_.most_conflicts;
      ++counts_.questions;
      const auto began = Clock::now();
      constraints::SolvedSchedule solved = constraints::solve_failing(*trace, how);
      const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
      counts_.solver_seconds += seconds;
      attempt.seconds += seconds;
      attempt.answer = solved.answer;
      if (solved.answer == Answer::kUnknown) gave_up_ = true;
      if (solved.answer == Answer::kSatisfiable)
        return Solved{std::move(*trace), std::move(solved.execution)};
    }
  }
  return whole ? find_early(*whole, attempt) : std::nullopt;
}

Result<std::optional<Executed>> Search::execute(const Composition& of, const Solved& solved,
                                                Attempt& attempt) {
  auto executed = executions_.follow(of, solved.trace, solved.schedule);
  if (!executed) return executed.error();
  ++counts_.executions;
  attempt.executed = true;
  attempt.failed = executed->is_bug;
  return std::optional(std::move(*executed));
}

Search::Found Search::report(const Executed& executed, const Composition& of, const Solved& solved,
                             Attempt attempt, std::size_t run) {
  auto trace = executions_.record(executed);
  if (!trace) return trace.error();
  if (trace->findings.empty()) return std::optional<FoundBug>();
  FoundBug bug;
  bug.trace = std::move(*trace);
  counts_.satisfiable_seconds = attempt.seconds;
  bug.attempt = std::move(attempt);
  bug.base = runs_[run].choices;
  for (const constraints::ActionId id : solved.schedule.order) {
    const constraints::Action& action = solved.trace.actions[id];
    if (action.event == kNoEvent) continue;
    const std::string& name = of.name_of(action.thread);
    if (bug.schedule.empty() || bug.schedule.back().thread != name) bug.schedule.push_back({name, 0, 0});
    ++bug.schedule.back().events;
    bug.schedule.back().pc = of.trace.events[index_of(action.event)].pc;
  }
  return std::optional(std::move(bug));
}

Search::Found Search::try_goal(const Composition& of, const Goal& goal, Attempt attempt, std::size_t run) {
  attempt.goal = goal;
  const auto solved = solve([&](Others others) { return ask_for(of, goal, others); }, attempt, Early::kFirst);
  Found found = std::optional<FoundBug>();
  if (solved) {
    auto executed = execute(of, *solved, attempt);
    if (!executed) return executed.error();
    if ((*executed)->is_bug) {
      found = report(**executed, of, *solved, attempt, run);
    } else if ((*executed)->passes) {
      // Not as the solver thought, and a run all the same.
      auto kept = keep(**executed, attempt.flips, attempt.base, runs_[run].distance + 1);
      if (!kept && kept.error().code == ExitCode::kOwnError) return kept.error();
    }
  }
  if (on_attempt) on_attempt(attempt);
  return found;
}

Search::Found Search::explore_schedules(std::size_t run) {
  const Composition of = composition_of(*runs_[run].run, initial_);
  for (const Goal& goal : goals_of(of)) {
    if (is_over()) break;
    Attempt attempt;
    attempt.base = runs_[run].base;
    attempt.flips = runs_[run].flips;
    for (const auto& [name, own] : of.threads)
      attempt.used.push_back({name, own.path, TraceSource::kBase, 0});
    auto found = try_goal(of, goal, std::move(attempt), run);
    if (!found || *found) return found;
  }
  return std::optional<FoundBug>();
}

Search::Found Search::find() {
  for (std::size_t i = 0; i < runs_.size() && i < production_ && !is_over(); ++i) {
    if (auto status = refresh(); !status) return status.error();
    if (is_over()) break;
    auto found = explore_schedules(i);
    if (!found || *found) return found;
  }
  return options_.order == SearchOrder::kThesis ? find_thesis() : find_pruned();
}

}  // namespace heddle::search
