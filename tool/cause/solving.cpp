#include "tool/cause/solving.h"

#include <algorithm>
#include <ctime>
#include <memory>

#include "core/trace/event_kinds.h"
#include "tool/cause/comparison.h"
#include "tool/cause/guided_plan.h"
#include "tool/cause/interventions.h"
#include "tool/cause/steps.h"
#include "tool/cause/truncation.h"
#include "tool/constraints/schedules.h"
#include "tool/findings/fingerprint.h"
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

// One symbolic run of the failing execution, what the solver says of it, and what comes of that.
class Attempt {
 public:
  static Result<std::unique_ptr<Attempt>> make(const run::Target& target, const Trace& failing,
                                               const SolvingOptions& options, replay::AfterFailure after) {
    std::unique_ptr<Attempt> attempt(new Attempt(target, failing, options, after));
    if (auto status = attempt->run_symbolically(); !status) return status.error();
    if (auto status = attempt->find_root_cause(); !status) return status.error();
    return attempt;
  }

  bool passes() const { return best_.has_value(); }
  Status try_alternates();
  // Where none of them passes to its end, threads that had not done as much yet may take another way.
  Status try_stopped_earlier();
  void solve_failing();
  Explanation explanation();

 private:
  Attempt(const run::Target& target, const Trace& failing, const SolvingOptions& options,
          replay::AfterFailure after)
      : target_(target), failing_(failing), options_(options), after_(after) {
    const bool sequential = failing.spec.model == ModelKind::kSc;
    solver_.model = sequential ? constraints::Model::kSequential : constraints::Model::kCxx20;
  }

  using Outcome = replay::Candidates::Outcome;
  using Schedule = std::vector<constraints::Place>;

  Status run_symbolically();
  Status find_how_operations_count();
  Status find_root_cause();
  bool ask_solver();
  Status learn_initial_values();
  Result<Outcome> follow(const Schedule& schedule) {
    return candidates_->follow(plan_of(run_->trace, schedule, is_weak(), uncounted_));
  }
  // Only up to `event`, whose thread then comes when everybody else is done.
  Result<Outcome> follow_up_to(const Schedule& schedule, EventId event) {
    const auto end = std::ranges::find(schedule, event, &constraints::Place::event);
    return candidates_->follow(plan_of(run_->trace, {schedule.begin(), end}, is_weak(), uncounted_), false,
                               hold_before(run_->trace, event, uncounted_));
  }
  void compare_alike();
  Status try_schedule(const constraints::SymbolicTrace& of, const constraints::Execution& execution);
  Result<Trace> traced(std::span<const Choice> choices) const {
    auto trace = trace_in_full(target_, failing_.spec, failing_.execution, choices, options_.allowed_exits);
    if (trace && !failing_.findings.empty())
      put_first(*trace, fingerprint(failing_, failing_.findings.front()));
    return trace;
  }
  bool is_weak() const { return solver_.model == constraints::Model::kCxx20; }
  bool has_passed(const Outcome& outcome) const {
    return outcome.result.ending == Ending::kExited &&
           run::signatures_of(outcome.result, options_.allowed_exits).empty();
  }

  const run::Target& target_;
  const Trace& failing_;
  const SolvingOptions& options_;
  replay::AfterFailure after_;
  constraints::SolveOptions solver_;
  std::optional<replay::SymbolicRun> run_;
  std::optional<constraints::SymbolicTrace> trace_;
  constraints::Execution observed_;
  std::optional<replay::Candidates> candidates_;
  std::uint32_t uncounted_ = 0;  // operations of the main thread before the first choice
  ThreadId failed_thread_ = kNoThread;
  std::optional<Trace> failed_;  // the execution itself
  constraints::RootCause cause_;
  constraints::Alternates alternates_;
  std::vector<CauseOrdering> core_;
  std::optional<Comparison> best_;
  std::vector<Choice> best_choices_;
  Explanation explanation_;
};

Status Attempt::run_symbolically() {
  auto run = replay::run_symbolically(target_, failing_, after_);
  if (!run) return run.error();
  run_.emplace(std::move(*run));
  const std::vector<Event> events(run_->trace.events.begin(), run_->trace.events.end());
  auto trace = constraints::symbolic_trace(events, run_->tables.expressions, run_->tables.records,
                                           failure_of(run_->trace));
  if (!trace) return trace.error();
  trace_.emplace(std::move(*trace));
  observed_ = constraints::observed_execution(*trace_);
  failed_thread_ = failed_thread_of(run_->trace);
  auto candidates = replay::Candidates::start(target_, failing_.spec, failing_);
  if (!candidates) return candidates.error();
  candidates_.emplace(std::move(*candidates));
  candidates_->keep_logs();
  // Symbolic executions run other code of the program: places are compared in one that does not.
  auto failed = traced(failing_.choices);
  if (!failed) return failed.error();
  failed_.emplace(std::move(*failed));
  explanation_.by_intervention = false;
  explanation_.symbolic_seconds = static_cast<double>(run_->duration_us) * 1e-6;
  return find_how_operations_count();
}

// What the observed schedule makes of the program shows that schedules are followed as they are meant.
Status Attempt::find_how_operations_count() {
  for (const std::uint32_t guess : {operations_before_threads(run_->trace), 0u}) {
    uncounted_ = guess;
    auto outcome = follow(constraints::places(*trace_, observed_));
    if (!outcome) return outcome.error();
    if (!has_passed(*outcome)) break;
  }
  return Done{};
}

bool Attempt::ask_solver() {
  cause_ = constraints::root_cause(*trace_, observed_, solver_);
  if (cause_.answer != constraints::Answer::kUnsatisfiable) return false;
  alternates_ = constraints::alternates(*trace_, observed_, cause_, options_.most_alternates, solver_);
  return true;
}

// What a read could have seen instead may be what was there at first, which nobody has read here: an
// execution in which the store that it read comes last tells. (Of the heap it may tell of another block; what
// the solver makes of that is executed before it is believed, as always.)
Status Attempt::learn_initial_values() {
  const Schedule schedule = constraints::places(*trace_, observed_);
  for (const EventId store : stores_read_last(run_->trace, failed_thread_)) {
    auto outcome = follow_up_to(schedule, store);
    if (!outcome) return outcome.error();
    auto other = traced(outcome->choices);
    if (!other) return other.error();
    learn_initial(*other, trace_->initial);
  }
  return Done{};
}

Status Attempt::find_root_cause() {
  const double began = cpu_seconds();
  bool knows_why = ask_solver();
  if (knows_why && alternates_.found.empty()) {
    if (auto status = learn_initial_values(); !status) return status;
    if (!trace_->initial.empty()) knows_why = ask_solver();
  }
  if (!knows_why) return Error{"The solver did not find out why it fails.", ExitCode::kInconclusive};
  explanation_.solver_seconds = cpu_seconds() - began;
  explanation_.pairs_tried = alternates_.pairs_tried;
  explanation_.root_cause_is_minimal = cause_.minimal;
  for (const constraints::Ordering& ordering : cause_.core)
    core_.push_back(cause_ordering(*trace_, ordering));
  explanation_.root_cause = core_;
  const bool ran_on = after_ == replay::AfterFailure::kRunOn;
  const std::size_t events = failed_->events.size();
  if (ran_on) keep_what_happened(explanation_.root_cause, events);
  if (ran_on ? events > run_->trace.events.size() : events != run_->trace.events.size()) {
    explanation_.root_cause.clear();
    explanation_.root_cause_is_minimal = false;
  }
  return Done{};
}

void Attempt::solve_failing() {
  const double began = cpu_seconds();
  constraints::SolveOptions unobserved = solver_;
  unobserved.start_from_observed = false;
  const constraints::SolvedSchedule schedule = constraints::solve_failing(*trace_, unobserved);
  explanation_.constraints = schedule.size.variables;
  const auto& clauses = schedule.size.clauses;
  explanation_.clauses = {clauses.path, clauses.synchronisation, clauses.read_write, clauses.memory_order};
  if (schedule.answer == constraints::Answer::kSatisfiable)
    explanation_.failing_seconds = cpu_seconds() - began;
}

// Executes a schedule, and keeps it where it passes and says more than the best.
Status Attempt::try_schedule(const constraints::SymbolicTrace& of, const constraints::Execution& execution) {
  const Schedule schedule = constraints::places(of, execution);
  auto outcome = follow(schedule);
  ++explanation_.interventions;
  for (const EventId event : events_to_hold(run_->trace, core_, failed_thread_)) {
    if (!outcome || has_passed(*outcome)) break;
    outcome = follow_up_to(schedule, event);
    ++explanation_.interventions;
  }
  if (!outcome) return outcome.error();
  if (!has_passed(*outcome)) return Done{};
  ++explanation_.passed;
  auto passing = traced(outcome->choices);
  if (!passing) return passing.error();
  Comparison comparison = compare(*failed_, std::move(*passing));
  if (comparison.says_something() && (!best_ || comparison.difference < best_->difference)) {
    best_ = std::move(comparison);
    best_choices_ = std::move(outcome->choices);
  }
  return Done{};
}

// What only one of the two records looks like a difference: both once more, with the memory that is shared in either.
void Attempt::compare_alike() {
  if (!best_) return;
  auto both = trace_both(target_, failing_, best_choices_, options_.allowed_exits);
  if (!both) return;
  Comparison comparison = compare(both->failing, std::move(both->passing));
  if (!comparison.says_something()) return;
  best_ = std::move(comparison);
  for (CauseOrdering& ordering : explanation_.root_cause) {
    for (EventId* event : {&ordering.first, &ordering.second})
      *event = counterpart_of(*failed_, *event, both->failing);
  }
  *failed_ = std::move(both->failing);
}

Status Attempt::try_alternates() {
  for (const constraints::Alternate& alternate : alternates_.found) {
    if (auto status = try_schedule(*trace_, alternate.execution); !status) return status;
  }
  return Done{};
}

Status Attempt::try_stopped_earlier() {
  // Who read what is cut off then has not read what was there at first.
  std::vector<Event> marked(run_->trace.events.begin(), run_->trace.events.end());
  const std::vector<std::uint32_t> sources = sources_of(run_->trace);
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (reads_memory(marked[i].kind) && sources[i] == kNoStep) marked[i].flags |= event_flags::kInitial;
  }
  for (const EventId from : truncation_points(run_->trace, core_, failed_thread_)) {
    if (best_ || explanation_.interventions >= options_.most_executions) break;
    auto shorter = truncated({marked, run_->tables.expressions, run_->tables.records},
                             run_->trace.events[index_of(from)].thread, from, failed_thread_);
    if (!shorter) continue;
    auto trace = constraints::symbolic_trace(shorter->events, shorter->expressions, shorter->records,
                                             failure_of(run_->trace));
    if (!trace) continue;
    trace->is_composed = true;
    const constraints::SolvedSchedule passing = constraints::solve_passing(*trace, solver_);
    if (passing.answer != constraints::Answer::kSatisfiable) continue;
    if (auto status = try_schedule(*trace, passing.execution); !status) return status;
  }
  return Done{};
}

Explanation Attempt::explanation() {
  compare_alike();
  if (!best_) {
    explanation_.why_not_solved =
        alternates_.found.empty()
            ? "on the same paths no schedule passes."
            : "of " + std::to_string(alternates_.found.size()) +
                  " schedules of the solver none passed when it was executed to its end.";
  } else {
    count_all(*failed_, explanation_);
    explanation_.failing = std::move(best_->failing);
    explanation_.passing = std::move(best_->passing);
  }
  explanation_.failing.trace = std::move(*failed_);
  explanation_.failing.trace.minimised = failing_.minimised;
  explanation_.failing.trace.departures = failing_.departures;
  return std::move(explanation_);
}

}  // namespace

Result<Explanation> explain_by_solving(const run::Target& target, const Trace& failing,
                                       const SolvingOptions& options) {
  auto at_end = Attempt::make(target, failing, options, replay::AfterFailure::kEnd);
  if (at_end) {
    if (options.solve_failing) (*at_end)->solve_failing();
    if (auto status = (*at_end)->try_alternates(); !status) return status.error();
    if ((*at_end)->passes()) return (*at_end)->explanation();
  }
  // What should have been read may be what another thread had not come to yet.
  auto later = Attempt::make(target, failing, options, replay::AfterFailure::kRunOn);
  // Threads that are stopped earlier are many more questions to the solver: they come last.
  using Try = Status (Attempt::*)();
  for (const auto& [attempt, ask] :
       {std::pair<Result<std::unique_ptr<Attempt>>*, Try>{&later, &Attempt::try_alternates},
        {&at_end, &Attempt::try_stopped_earlier},
        {&later, &Attempt::try_stopped_earlier}}) {
    if (!*attempt) continue;
    if (auto status = ((***attempt).*ask)(); !status) return status.error();
    if ((**attempt)->passes()) break;
  }
  if (!at_end && (!later || !(*later)->passes())) return at_end.error();
  if (!later || !(*later)->passes()) return (*at_end)->explanation();
  Explanation explanation = (*later)->explanation();
  if (!at_end) return explanation;
  const Explanation first = (*at_end)->explanation();
  explanation.constraints = first.constraints;
  explanation.clauses = first.clauses;
  explanation.failing_seconds = first.failing_seconds;
  explanation.interventions += first.interventions;
  explanation.pairs_tried += first.pairs_tried;
  explanation.solver_seconds += first.solver_seconds;
  return explanation;
}

}  // namespace heddle::cause
