#include "tool/constraints/schedules.h"
#include "tool/constraints/forward_search.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/check.h"
#include "tool/constraints/inversion.h"
#include "tool/constraints/named.h"
#include "tool/constraints/simulate.h"

namespace heddle::constraints {
namespace {

using Goal = Structure::Goal;

// A core that is not minimal is still a cause, and an alternate that is not the nearest still one: what makes
// them better costs no more than finding them, and no single question about it more than this part of that.
constexpr std::uint64_t kPartOfBudget = 10;

ProblemOptions problem_options(const SolveOptions& options, bool with_soft) {
  return {options.model, with_soft, options.start_from_observed};
}

// An order of schedules that pass is one of the solver's, or of ours; either way it is executed before it is
// shown.
Verdict judge(Simulation& simulation, const Execution& execution, Model model, bool with_soft) {
  return model == Model::kSequential ? simulation.run(execution.order, with_soft)
                                     : simulation.run(execution, with_soft);
}

std::vector<std::uint32_t> positions(const Structure& s, std::span<const ActionId> order) {
  std::vector<std::uint32_t> result(s.count(), ~0u);
  for (std::uint32_t i = 0; i < order.size(); ++i) result[order[i]] = i;
  return result;
}

// Is the ordering as it was named in this execution?
bool holds(const Structure& s, const Execution& e, const std::vector<std::uint32_t>& position,
           const Ordering& o) {
  switch (o.kind) {
    case Ordering::Kind::kBefore:
      return position[o.first] < position[o.second];
    case Ordering::Kind::kReads:
      return e.sources[s.first_part(o.second)] == o.first;
    case Ordering::Kind::kModification:
      return e.modification[o.first] < e.modification[o.second];
  }
  return false;
}

class CauseFinder {
 public:
  CauseFinder(const SymbolicTrace& trace, const Execution& failing, const SolveOptions& options)
      : s_(trace, Goal::kPass),
        problem_(s_, problem_options(options, true)),
        failing_(extended(s_, failing)),
        options_(options) {
    named_ = named_orderings(s_, problem_, failing_, options.model);
    for (const Ordering& o : named_) literals_.push_back(literal_of(problem_, s_, o));
    problem_.start_from(failing_);
  }

  RootCause find() {
    RootCause result;
    result.named = named_.size();
    std::vector<std::size_t> core(named_.size());
    for (std::size_t i = 0; i < core.size(); ++i) core[i] = i;
    result.answer = ask(core);
    if (result.answer == Answer::kUnsatisfiable) {
      core = core_of(core);
      result.minimal = minimise(core);
      for (std::size_t i : core) result.core.push_back(named_[i]);
    }
    result.questions = questions_;
    return result;
  }

  // The least that has to be another way around, starting from an execution that passes with all of `core`
  // but one: every ordering is given back if some execution still passes with it (a minimal correction set).
  std::optional<Alternate> nearest(const std::vector<Ordering>& core, std::size_t without, bool& complete) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < named_.size(); ++i) {
      const bool in_core = std::find(core.begin(), core.end(), named_[i]) != core.end();
      if (in_core && !(named_[i] == core[without])) kept.push_back(i);
    }
    Answer answer = ask(kept);
    if (answer == Answer::kUnknown) complete = false;
    if (answer != Answer::kSatisfiable) return std::nullopt;
    Alternate best{problem_.execution(), {}, true};
    std::vector<bool> tried(named_.size());
    for (;;) {
      const std::vector<std::uint32_t> position = positions(s_, best.execution.order);
      kept.clear();
      best.inverted.clear();
      std::size_t next = named_.size();
      for (std::size_t i = 0; i < named_.size(); ++i) {
        if (holds(s_, best.execution, position, named_[i])) {
          kept.push_back(i);
          continue;
        }
        best.inverted.push_back(named_[i]);
        if (!tried[i]) next = i;  // the latest first: what came early is not to change
      }
      if (next == named_.size()) return best;
      tried[next] = true;
      kept.push_back(next);
      answer = ask_within_budget(kept);
      if (answer == Answer::kSatisfiable) best.execution = problem_.execution();
    }
  }

  const Structure& structure() const { return s_; }
  const Execution& failing() const { return failing_; }

 private:
  Answer ask(const std::vector<std::size_t>& assumed) { return ask(assumed, options_.most_conflicts); }
  Answer ask(const std::vector<std::size_t>& assumed, std::uint64_t budget) {
    ++questions_;
    std::vector<Literal> assumptions;
    for (std::size_t i : assumed) assumptions.push_back(literals_[i]);
    problem_.start_from(failing_);
    return problem_.solve(assumptions, budget);
  }

  Answer ask_within_budget(const std::vector<std::size_t>& assumed) {
    if (spent_ >= options_.most_conflicts) return Answer::kUnknown;
    const std::uint64_t before = problem_.size().conflicts;
    const Answer answer = ask(assumed, options_.most_conflicts / kPartOfBudget + 1);
    spent_ += problem_.size().conflicts - before;
    return answer;
  }

  std::vector<std::size_t> core_of(const std::vector<std::size_t>& assumed) const {
    const std::set<Literal> members(problem_.core().begin(), problem_.core().end());
    std::vector<std::size_t> result;
    for (std::size_t i : assumed) {
      if (members.contains(literals_[i])) result.push_back(i);
    }
    return result;
  }

  // Takes every member away once; what the rest cannot do without stays. Locks are tried first, then data
  // from the beginning: where either would do, the data flow near the failure says more.
  bool minimise(std::vector<std::size_t>& core) {
    bool known = true;
    std::sort(core.begin(), core.end(), [&](std::size_t a, std::size_t b) {
      const bool data_a = s_.action(named_[a].second).is_access(),
                 data_b = s_.action(named_[b].second).is_access();
      return data_a != data_b ? data_b : a < b;
    });
    std::vector<std::size_t> needed;
    while (!core.empty()) {
      const std::size_t candidate = core.front();
      core.erase(core.begin());
      std::vector<std::size_t> rest = needed;
      rest.insert(rest.end(), core.begin(), core.end());
      const Answer answer = ask_within_budget(rest);
      if (answer == Answer::kUnsatisfiable) {
        const std::vector<std::size_t> smaller = core_of(rest);
        std::erase_if(core, [&](std::size_t i) {
          return std::find(smaller.begin(), smaller.end(), i) == smaller.end();
        });
        continue;
      }
      if (answer == Answer::kUnknown) known = false;
      needed.push_back(candidate);
    }
    std::sort(needed.begin(), needed.end());
    core = std::move(needed);
    return known;
  }

  Structure s_;
  Problem problem_;
  Execution failing_;
  SolveOptions options_;
  std::vector<Ordering> named_;
  std::vector<Literal> literals_;
  std::uint64_t questions_ = 0;
  std::uint64_t spent_ = 0;  // conflicts, on making answers better
};

// Pairs of events of the root cause, of different threads, in the order of the failing execution (4.1.5).
std::vector<std::pair<ActionId, ActionId>> pairs_of(const Structure& s, const Execution& failing,
                                                    const std::vector<Ordering>& core) {
  const std::vector<std::uint32_t> position = positions(s, failing.order);
  std::set<ActionId> events;
  for (const Ordering& o : core) {
    if (o.first != kNoAction) events.insert(o.first);
    events.insert(o.second);
  }
  std::vector<std::pair<ActionId, ActionId>> pairs;
  for (ActionId a : events) {
    for (ActionId b : events) {
      if (position[a] < position[b] && s.thread_index(a) != s.thread_index(b) && !s.precedes(a, b))
        pairs.emplace_back(a, b);
    }
  }
  std::sort(pairs.begin(), pairs.end(), [&](const auto& p, const auto& q) {
    const auto key = [&](const auto& pair) {
      const std::uint32_t last = position[pair.second], between = last - position[pair.first];
      const std::uint32_t to_the_end = static_cast<std::uint32_t>(position.size()) - last;
      return std::tuple(between, to_the_end);
    };
    return std::tuple(key(p), p) < std::tuple(key(q), q);
  });
  return pairs;
}

class PairInverter {
 public:
  PairInverter(const Structure& s, std::size_t most, const SolveOptions& options)
      : s_(s), simulation_(s), most_(most), options_(options) {}

  // Schedules with one more pair inverted. Those that still fail are kept for the next round.
  void invert(const Execution& from, const std::vector<Ordering>& core, const std::vector<Ordering>& so_far,
              Alternates& result) {
    for (const auto& [a, b] : pairs_of(s_, from, core)) {
      if (result.found.size() >= most_) return;
      ++result.pairs_tried;
      for (Direction direction : {Direction::kLaterUp, Direction::kEarlierDown}) {
        Execution candidate;
        candidate.order = inverted(s_, from.order, a, b, direction);
        if (!seen_.insert(candidate.order).second) continue;
        const Verdict verdict = simulation_.run(candidate.order);
        if (!verdict.feasible) continue;
        candidate.sources.assign(simulation_.sources().begin(), simulation_.sources().end());
        candidate.modification = positions(s_, candidate.order);
        for (std::uint32_t& place : candidate.modification) ++place;
        std::vector<Ordering> all = so_far;
        all.push_back({Ordering::Kind::kBefore, a, b});
        if (verdict.fails) {
          still_failing_.push_back({std::move(candidate), std::move(all), false});
          continue;
        }
        result.found.push_back({std::move(candidate), std::move(all), false});
        break;
      }
    }
  }

  // Pairs of pairs: what still fails has a root cause of its own.
  void invert_again(const SymbolicTrace& trace, Alternates& result) {
    constexpr std::size_t kMostTried = 8;
    std::vector<Alternate> failing = std::move(still_failing_);
    still_failing_.clear();
    if (failing.size() > kMostTried) failing.resize(kMostTried);
    for (const Alternate& each : failing) {
      if (result.found.size() >= most_) return;
      const RootCause cause = root_cause(trace, each.execution, options_);
      if (cause.answer == Answer::kUnsatisfiable) invert(each.execution, cause.core, each.inverted, result);
    }
  }

 private:
  const Structure& s_;
  Simulation simulation_;
  std::size_t most_;
  SolveOptions options_;
  std::set<std::vector<ActionId>> seen_;
  std::vector<Alternate> still_failing_;
};

}  // namespace

namespace {

// What an order is under sequential consistency. REQUIRES: `simulation` has just executed it.
Execution execution_of(const Structure& structure, const Simulation& simulation, const Schedule& order) {
  Execution result;
  result.order = order;
  result.sources.assign(simulation.sources().begin(), simulation.sources().end());
  result.modification.assign(structure.count(), 0);
  std::vector<std::uint32_t> written(structure.cells().size(), 0);
  for (const ActionId id : order) {
    if (!structure.action(id).writes()) continue;
    for (const Part& part : structure.parts_of(id)) result.modification[id] = ++written[part.cell];
  }
  return result;
}

// Without the observed order, first what can be had without the solver.
bool find_forward(const Structure& structure, bool with_soft, const SolveOptions& options,
                  SolvedSchedule& result) {
  const auto order = search_forward(structure, with_soft, options.most_steps);
  if (!order) return false;
  Simulation simulation(structure);
  const Verdict verdict = simulation.run(*order, with_soft);
  if (!verdict.feasible || verdict.fails != (structure.goal() == Goal::kFail)) return false;
  result.answer = Answer::kSatisfiable;
  result.execution = execution_of(structure, simulation, *order);
  return true;
}

SolvedSchedule solve(const SymbolicTrace& trace, Goal goal, const SolveOptions& options) {
  const Structure structure(trace, goal);
  SolvedSchedule result;
  for (const bool with_soft : {true, false}) {
    Problem problem(structure, problem_options(options, with_soft));
    result.size = problem.size();
    result.soft_dropped = !with_soft;
    if (!options.start_from_observed && find_forward(structure, with_soft, options, result)) return result;
    result.answer = problem.solve({}, options.most_conflicts);
    if (result.answer == Answer::kSatisfiable) {
      result.execution = problem.execution();
      Simulation simulation(structure);
      const Verdict verdict = judge(simulation, result.execution, options.model, with_soft);
      // A cut-off trace may have waits whose rules the clauses do not say in full: what cannot be executed in
      // thought is no answer.
      if (!verdict.feasible || verdict.fails != (goal == Goal::kFail)) result.answer = Answer::kUnknown;
    }
    if (result.answer != Answer::kUnsatisfiable || trace.concretised == 0) break;
  }
  return result;
}

}  // namespace

SolvedSchedule solve_failing(const SymbolicTrace& trace, const SolveOptions& options) {
  return solve(trace, Goal::kFail, options);
}

SolvedSchedule find_failing_early(const SymbolicTrace& trace, std::uint64_t most_steps,
                                  std::span<const EventId> before) {
  const Structure structure(trace, Goal::kFail);
  SolvedSchedule result;
  std::vector<ActionId> actions;
  for (const ActionId id : structure.observed()) {
    if (std::find(before.begin(), before.end(), trace.actions[id].event) != before.end())
      actions.push_back(id);
  }
  const auto order = search_to_failure(structure, true, most_steps, actions);
  if (!order) return result;
  Simulation simulation(structure);
  simulation.start();
  for (std::uint32_t i = 0; i < order->size(); ++i) {
    if (simulation.advance((*order)[i], i + 1) != nullptr) return result;
  }
  if (!simulation.holds(trace.bug.condition)) return result;
  result.answer = Answer::kSatisfiable;
  result.execution = execution_of(structure, simulation, *order);
  return result;
}

AlongPaths find_along(const SymbolicTrace& trace, std::span<const WantedPath> wanted, ThreadId last,
                      std::uint64_t most_steps) {
  const Structure structure(trace, Goal::kFail);
  AlongPaths result;
  std::vector<WantedThread> threads;
  for (const WantedPath& path : wanted) {
    WantedThread one{path.thread, kNoAction};
    // (An event that is no action comes with the one before it.)
    for (const ActionId id : structure.observed()) {
      const Action& a = trace.actions[id];
      if (path.until == kNoEvent || a.thread != path.thread || a.event == kNoEvent) continue;
      if (index_of(a.event) <= index_of(path.until)) one.until = id;
    }
    if (path.until != kNoEvent && one.until == kNoAction) continue;
    threads.push_back(one);
  }
  const Schedule order = search_along(structure, threads, last, most_steps, result.arrived);
  if (order.empty()) return result;
  Simulation simulation(structure);
  simulation.start();
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (simulation.advance(order[i], i + 1) != nullptr) return result;
  }
  result.found.answer = Answer::kSatisfiable;
  result.found.execution = execution_of(structure, simulation, order);
  return result;
}

SolvedSchedule solve_passing(const SymbolicTrace& trace, const SolveOptions& options) {
  return solve(trace, Goal::kPass, options);
}

Execution observed_execution(const SymbolicTrace& trace) {
  const Structure structure(trace, Goal::kFail);
  Execution result;
  result.order.assign(structure.observed().begin(), structure.observed().end());
  result.sources.assign(structure.observed_sources().begin(), structure.observed_sources().end());
  result.modification.assign(structure.count(), 0);
  for (const Cell& cell : structure.cells()) {
    std::vector<ActionId> writes = cell.writes;
    std::sort(writes.begin(), writes.end(), [&](ActionId a, ActionId b) {
      return std::pair(trace.actions[a].mo_position, a) < std::pair(trace.actions[b].mo_position, b);
    });
    for (std::uint32_t i = 0; i < writes.size(); ++i) result.modification[writes[i]] = i + 1;
  }
  return result;
}

RootCause root_cause(const SymbolicTrace& trace, const Execution& failing, const SolveOptions& options) {
  return CauseFinder(trace, failing, options).find();
}

Alternates alternates(const SymbolicTrace& trace, const Execution& failing, const RootCause& cause,
                      std::size_t most, const SolveOptions& options) {
  Alternates result;
  CauseFinder finder(trace, failing, options);
  // What is sequentially consistent is so under C++20, too.
  PairInverter inverter(finder.structure(), most, options);
  inverter.invert(finder.failing(), cause.core, {}, result);
  if (result.found.empty() && trace.bug.kind != BugKind::kDeadlock) inverter.invert_again(trace, result);
  // By minimality, with all of the core but one ordering there is an execution that passes.
  Simulation simulation(finder.structure());
  for (std::size_t i = 0; i < cause.core.size() && result.found.size() < most; ++i) {
    std::optional<Alternate> nearest = finder.nearest(cause.core, i, result.complete);
    if (!nearest) continue;
    const Verdict verdict = judge(simulation, nearest->execution, options.model, true);
    HEDDLE_CHECK(verdict.feasible && !verdict.fails);
    const bool is_new = std::none_of(result.found.begin(), result.found.end(), [&](const Alternate& other) {
      return other.execution.order == nearest->execution.order &&
             other.execution.sources == nearest->execution.sources;
    });
    if (is_new) result.found.push_back(std::move(*nearest));
  }
  return result;
}

std::vector<Place> places(const SymbolicTrace& trace, const Execution& execution,
                          std::span<const ThreadId> woken) {
  std::vector<std::uint32_t> ordinal(trace.actions.size(), 0);
  std::vector<std::uint32_t> position(trace.actions.size(), kNoAction);
  std::vector<std::uint32_t> next(kMaxThreads, 0);
  for (ActionId i = 0; i < trace.actions.size(); ++i) ordinal[i] = next[index_of(trace.actions[i].thread)]++;
  for (std::uint32_t i = 0; i < execution.order.size(); ++i) position[execution.order[i]] = i;
  const Structure structure(trace, Goal::kPass);
  std::vector<Place> result;
  for (ActionId i : execution.order) {
    const Action& a = trace.actions[i];
    Place place{a.thread, ordinal[i], a.event, kNoAction};
    if (a.reads()) {
      const ActionId source = execution.sources[structure.first_part(i)];
      if (source != kNoAction) place.reads_from = position[source];
    }
    result.push_back(place);
  }
  Simulation simulation(structure);
  simulation.start();
  for (std::uint32_t i = 0; i < execution.order.size(); ++i) simulation.advance(execution.order[i], i + 1);
  const auto wake = [&](auto&& is_due) {
    for (std::uint32_t w = 0; w < structure.waits().size(); ++w) {
      const Wait& wait = structure.waits()[w];
      if (wait.wake == kNoAction && is_due(trace.actions[wait.wait].thread)) simulation.take_signal(w);
    }
  };
  wake([&](ThreadId thread) { return std::find(woken.begin(), woken.end(), thread) != woken.end(); });
  wake([](ThreadId) { return true; });
  for (std::uint32_t w = 0; w < structure.waits().size(); ++w) {
    const ActionId signal = simulation.signal_of(w);
    if (signal != kNoAction) result[position[signal]].wakes = trace.actions[structure.waits()[w].wait].thread;
  }
  return result;
}

}  // namespace heddle::constraints
