#include "tool/cause/solving.h"

#include <algorithm>
#include <ctime>

#include "core/trace/event_kinds.h"
#include "tool/cause/comparison.h"
#include "tool/cause/guided_plan.h"
#include "tool/cause/interventions.h"
#include "tool/cause/steps.h"
#include "tool/cause/truncation.h"
#include "tool/constraints/schedules.h"
#include "tool/replay/candidates.h"
#include "tool/replay/symbolic.h"

namespace heddle::cause {
namespace {

// Of this process; the solver is one thread.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

constraints::Failure failure_of(const Trace& trace) {
  constraints::Failure failure;
  const TraceFinding& finding = trace.findings.front();
  std::vector<EventId> accesses;
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kBlockedThread) failure.waiters.push_back({part.thread, part.address});
    if (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess)
      accesses.push_back(part.event);
  }
  if (finding.kind == FindingKind::kDeadlock) failure.kind = constraints::BugKind::kDeadlock;
  if (finding.kind == FindingKind::kDataRace && accesses.size() == 2) {
    failure.kind = constraints::BugKind::kRace;
    failure.first = accesses[1];
    failure.second = accesses[0];
  }
  return failure;
}

CauseOrdering cause_ordering(const constraints::SymbolicTrace& trace, const constraints::Ordering& ordering) {
  const auto event = [&](constraints::ActionId id) {
    return id == constraints::kNoAction ? kNoEvent : trace.actions[id].event;
  };
  return {static_cast<CauseOrdering::Kind>(ordering.kind), event(ordering.first), event(ordering.second)};
}

ThreadId failed_thread_of(const Trace& trace) {
  const auto& parts = trace.findings.front().parts;
  return parts.empty() ? kNoThread : parts.front().thread;
}

// Where other threads could have been stopped: before what the root cause names of them, and before what they
// did in front of that, the latest first.
std::vector<EventId> truncation_points(const Trace& trace, const std::vector<CauseOrdering>& cause,
                                       ThreadId failed) {
  constexpr std::size_t kMostOfOne = 24;
  std::vector<EventId> points;
  for (const CauseOrdering& ordering : cause) {
    for (const EventId named : {ordering.first, ordering.second}) {
      if (named == kNoEvent || index_of(named) >= trace.events.size()) continue;
      const ThreadId thread = trace.events[index_of(named)].thread;
      if (thread == failed) continue;
      std::size_t count = 0;
      for (std::uint32_t i = index_of(named) + 1; i-- > 0 && count < kMostOfOne;) {
        const TraceEvent& event = trace.events[i];
        if (event.thread != thread || event.kind == EventKind::kAllocate || event.kind == EventKind::kFree ||
            event.kind == EventKind::kThreadStart)
          continue;
        points.push_back(event.id);
        ++count;
      }
    }
  }
  return points;
}

// A schedule of the solver ends where the failing execution did, and what made that one fail may then make
// another thread fail. So it is also followed up to the other side of the root cause, which then comes when
// everybody else is done.
std::vector<EventId> events_to_hold(const Trace& trace, const std::vector<CauseOrdering>& cause,
                                    ThreadId failed) {
  constexpr std::size_t kMost = 3;
  std::vector<EventId> held;
  for (const CauseOrdering& ordering : cause) {
    const EventId event = ordering.first;
    if (event == kNoEvent || index_of(event) >= trace.events.size()) continue;
    if (trace.events[index_of(event)].thread == failed || std::ranges::find(held, event) != held.end())
      continue;
    if (held.size() < kMost) held.push_back(event);
  }
  return held;
}

// What the failed thread read last of others, the latest first.
std::vector<EventId> stores_read_last(const Trace& trace, ThreadId failed) {
  constexpr std::size_t kMost = 3;
  const std::vector<std::uint32_t> sources = sources_of(trace);
  std::vector<EventId> stores;
  for (std::size_t i = trace.events.size(); i-- > 0 && stores.size() < kMost;) {
    if (trace.events[i].thread != failed || sources[i] == kNoStep) continue;
    const TraceEvent& store = trace.events[sources[i]];
    if (store.thread != failed && std::ranges::find(stores, store.id) == stores.end())
      stores.push_back(store.id);
  }
  return stores;
}

// Of the root cause, what is about events that the failing execution came to.
void keep_what_happened(std::vector<CauseOrdering>& cause, std::size_t events) {
  std::erase_if(cause, [&](const CauseOrdering& ordering) {
    const auto is_later = [&](EventId id) { return id != kNoEvent && index_of(id) >= events; };
    return is_later(ordering.first) || is_later(ordering.second);
  });
}

Result<Explanation> solve(const run::Target& target, const Trace& failing, const SolvingOptions& options,
                          replay::AfterFailure after) {
  auto run = replay::run_symbolically(target, failing, after);
  if (!run) return run.error();
  const std::vector<Event> events(run->trace.events.begin(), run->trace.events.end());
  auto trace = constraints::symbolic_trace(events, run->tables.expressions, run->tables.records,
                                           failure_of(run->trace));
  if (!trace) return trace.error();

  const double began = cpu_seconds();
  constraints::SolveOptions solver;
  solver.model =
      failing.spec.model == ModelKind::kSc ? constraints::Model::kSequential : constraints::Model::kCxx20;
  const constraints::Execution observed = constraints::observed_execution(*trace);
  auto candidates = replay::Candidates::start(target, failing.spec, failing);
  if (!candidates) return candidates.error();
  candidates->keep_logs();
  const bool weak = solver.model == constraints::Model::kCxx20;
  const auto passes = [&](const replay::Candidates::Outcome& outcome) {
    return outcome.result.ending == Ending::kExited &&
           run::signatures_of(outcome.result, options.allowed_exits).empty();
  };
  // What the observed schedule makes of the program shows that schedules are followed as they are meant.
  std::optional<std::uint32_t> uncounted;
  for (const std::uint32_t guess : {operations_before_threads(run->trace), 0u}) {
    auto outcome =
        candidates->follow(plan_of(run->trace, constraints::places(*trace, observed), weak, guess));
    if (!outcome) return outcome.error();
    if (!passes(*outcome) && !uncounted) uncounted = guess;
  }
  const ThreadId failed_thread = failed_thread_of(run->trace);
  constraints::RootCause cause;
  constraints::Alternates alternates;
  const auto ask_solver = [&] {
    cause = constraints::root_cause(*trace, observed, solver);
    if (cause.answer != constraints::Answer::kUnsatisfiable) return false;
    alternates = constraints::alternates(*trace, observed, cause, constraints::PairOrder::kFewestBetween,
                                         options.most_alternates, solver);
    return true;
  };
  bool knows_why = ask_solver();
  // What a read could have seen instead may be what was there at first, which nobody has read here: an
  // execution in which the store that it read comes last tells. (Of the heap it may tell of another block;
  // what the solver makes of that is executed before it is believed, as always.)
  if (knows_why && alternates.found.empty()) {
    for (const EventId store : stores_read_last(run->trace, failed_thread)) {
      const auto schedule = constraints::places(*trace, observed);
      const auto stop = std::ranges::find(schedule, store, &constraints::Place::event);
      auto outcome =
          candidates->follow(plan_of(run->trace, {schedule.begin(), stop}, weak, uncounted.value_or(0)),
                             false, hold_before(run->trace, store, uncounted.value_or(0)));
      if (!outcome) return outcome.error();
      auto other =
          trace_in_full(target, failing.spec, failing.execution, outcome->choices, options.allowed_exits);
      if (!other) return other.error();
      learn_initial(*other, trace->initial);
    }
    if (!trace->initial.empty()) knows_why = ask_solver();
  }
  if (!knows_why) return Error{"The solver did not find out why it fails.", ExitCode::kInconclusive};
  Explanation explanation;
  explanation.by_intervention = false;
  explanation.symbolic_seconds = static_cast<double>(run->duration_us) * 1e-6;
  explanation.solver_seconds = cpu_seconds() - began;
  explanation.pairs_tried = alternates.pairs_tried;
  explanation.root_cause_is_minimal = cause.minimal;
  for (const constraints::Ordering& ordering : cause.core)
    explanation.root_cause.push_back(cause_ordering(*trace, ordering));
  const std::vector<CauseOrdering> core = explanation.root_cause;

  if (options.solve_failing) {
    const double began_failing = cpu_seconds();
    constraints::SolveOptions unobserved = solver;
    unobserved.start_from_observed = false;
    const constraints::SolvedSchedule failing_schedule = constraints::solve_failing(*trace, unobserved);
    explanation.constraints = failing_schedule.size.variables;
    const auto& clauses = failing_schedule.size.clauses;
    explanation.clauses = {clauses.path, clauses.synchronisation, clauses.read_write, clauses.memory_order};
    if (failing_schedule.answer == constraints::Answer::kSatisfiable)
      explanation.failing_seconds = cpu_seconds() - began_failing;
  }

  // Symbolic executions run other code of the program: places are compared in one that does not.
  auto failed =
      trace_in_full(target, failing.spec, failing.execution, failing.choices, options.allowed_exits);
  if (!failed) return failed.error();
  const bool ran_on = after == replay::AfterFailure::kRunOn;
  if (ran_on) keep_what_happened(explanation.root_cause, failed->events.size());
  if (ran_on ? failed->events.size() > run->trace.events.size()
             : failed->events.size() != run->trace.events.size()) {
    explanation.root_cause.clear();
    explanation.root_cause_is_minimal = false;
  }
  const std::vector<EventId> held = events_to_hold(run->trace, core, failed_thread);
  std::optional<Comparison> best;
  // Executes a schedule, and keeps it where it passes and says more than the best.
  const auto try_schedule = [&](const constraints::SymbolicTrace& of,
                                const constraints::Execution& execution) -> Status {
    const std::vector<constraints::Place> schedule = constraints::places(of, execution);
    const std::uint32_t before_choices = uncounted.value_or(0);
    auto outcome = candidates->follow(plan_of(run->trace, schedule, weak, before_choices));
    ++explanation.interventions;
    for (const EventId event : held) {
      if (!outcome || passes(*outcome)) break;
      const auto end = std::ranges::find(schedule, event, &constraints::Place::event);
      const std::span<const constraints::Place> up_to_it(schedule.begin(), end);
      outcome = candidates->follow(plan_of(run->trace, up_to_it, weak, before_choices), false,
                                   hold_before(run->trace, event, before_choices));
      ++explanation.interventions;
    }
    if (!outcome) return outcome.error();
    if (!passes(*outcome)) return Done{};
    ++explanation.passed;
    auto passing =
        trace_in_full(target, failing.spec, failing.execution, outcome->choices, options.allowed_exits);
    if (!passing) return passing.error();
    Comparison comparison = compare(*failed, std::move(*passing));
    if (comparison.says_something() && (!best || comparison.difference < best->difference))
      best = std::move(comparison);
    return Done{};
  };
  for (const constraints::Alternate& alternate : alternates.found) {
    if (auto status = try_schedule(*trace, alternate.execution); !status) return status.error();
  }
  // Where none passes to its end, threads that had not done as much yet may take another way. Who read what
  // is cut off then has not read what was there at first.
  std::vector<Event> marked = events;
  const std::vector<std::uint32_t> sources = sources_of(run->trace);
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (reads_memory(marked[i].kind) && sources[i] == kNoStep) marked[i].flags |= event_flags::kInitial;
  }
  for (const EventId from : truncation_points(run->trace, core, failed_thread)) {
    if (best || !options.stops_earlier || explanation.interventions >= options.most_executions) break;
    auto shorter = truncated({marked, run->tables.expressions, run->tables.records},
                             run->trace.events[index_of(from)].thread, from, failed_thread);
    if (!shorter) continue;
    auto shorter_trace = constraints::symbolic_trace(shorter->events, shorter->expressions, shorter->records,
                                                     failure_of(run->trace));
    if (!shorter_trace) continue;
    shorter_trace->is_composed = true;
    const constraints::SolvedSchedule passing = constraints::solve_passing(*shorter_trace, solver);
    if (passing.answer != constraints::Answer::kSatisfiable) continue;
    if (auto status = try_schedule(*shorter_trace, passing.execution); !status) return status.error();
  }
  if (!best) {
    explanation.why_not_solved =
        alternates.found.empty()
            ? "on the same paths no schedule passes."
            : "of " + std::to_string(alternates.found.size()) +
                  " schedules of the solver none passed when it was executed to its end.";
    explanation.failing.trace = std::move(*failed);
    return explanation;
  }
  count_all(*failed, explanation);
  explanation.failing = std::move(best->failing);
  explanation.passing = std::move(best->passing);
  explanation.failing.trace = std::move(*failed);
  explanation.failing.trace.minimised = failing.minimised;
  explanation.failing.trace.departures = failing.departures;
  return explanation;
}

}  // namespace

Result<Explanation> explain_by_solving(const run::Target& target, const Trace& failing,
                                       const SolvingOptions& options) {
  // Threads that are stopped earlier are many more questions to the solver: first without.
  struct Way {
    replay::AfterFailure after;
    bool stops_earlier;
  };
  // What should have been read may be what another thread had not come to yet.
  constexpr Way kWays[] = {{replay::AfterFailure::kEnd, false},
                           {replay::AfterFailure::kRunOn, false},
                           {replay::AfterFailure::kEnd, true},
                           {replay::AfterFailure::kRunOn, true}};
  Result<Explanation> first = Error{""};
  SolvingOptions way_options = options;
  for (const Way& way : kWays) {
    way_options.stops_earlier = way.stops_earlier;
    auto explanation = solve(target, failing, way_options, way.after);
    way_options.solve_failing = false;
    if (&way == kWays) first = explanation;
    if (!explanation) continue;
    if (explanation->passing && &way != kWays && first) {
      explanation->constraints = first->constraints;
      explanation->clauses = first->clauses;
      explanation->failing_seconds = first->failing_seconds;
      explanation->interventions += first->interventions;
      explanation->pairs_tried += first->pairs_tried;
      explanation->solver_seconds += first->solver_seconds;
    }
    if (explanation->passing) return explanation;
  }
  return first;
}

}  // namespace heddle::cause
