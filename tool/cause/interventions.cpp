#include "tool/cause/interventions.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/random.h"
#include "tool/cause/comparison.h"
#include "tool/findings/fingerprint.h"
#include "tool/run/time_limit.h"

namespace heddle::cause {
namespace {

using Plan = std::vector<Departure>;
using replay::Candidates;

// How far away a departure is moved, in operations of its thread.
constexpr std::uint32_t kFarthest = 12;

struct Intervention {
  Plan plan;
  std::uint32_t distance = 0;  // how much of a change it is
};

struct Passing {
  std::vector<Choice> choices;
  std::uint32_t distance = 0;
  std::uint64_t number = 0;  // in the order in which they were tried
};

constexpr double kShareOfTrying = 0.5;  // of the time; the rest is for comparing

class Interventions {
 public:
  Interventions(const run::Target& target, const Trace& failing, const InterventionOptions& options,
                Candidates candidates)
      : target_(target),
        failing_(failing),
        options_(options),
        candidates_(std::move(candidates)),
        began_(run::budget_seconds()) {}

  Result<Explanation> run();

 private:
  bool time_left(double share) const {
    return !run::time_is_up() && run::budget_seconds() - began_ < share * options_.seconds;
  }
  bool passes(const Candidates::Outcome& outcome) const {
    return outcome.result.ending == Ending::kExited &&
           run::signatures_of(outcome.result, options_.allowed_exits).empty();
  }
  // More would not be tried. (A plan is as long as the execution, and there are many times as many.)
  bool has_enough() const {
    return proposals_.size() >= options_.most_executions || !time_left(kShareOfTrying);
  }
  void propose(const Plan& plan, std::uint32_t distance) {
    if (!has_enough()) proposals_.push_back({plan, distance});
  }
  void propose_changes(std::size_t departure);
  void propose_extras();
  void propose_orders_of_threads();
  Status try_all();
  Status try_freely();
  Status compare_all();

  const run::Target& target_;
  const Trace& failing_;
  const InterventionOptions& options_;
  Candidates candidates_;
  double began_;                       // by budget_seconds()
  Plan plan_;                          // of the failing execution
  std::vector<DepartureMade> others_;  // what it could have done instead
  std::vector<Intervention> proposals_;
  std::vector<Passing> passing_;
  Explanation explanation_;
};

// Without the departure; a little earlier or later; to somebody else.
void Interventions::propose_changes(std::size_t at) {
  const Departure departure = plan_[at];
  Plan rest = plan_;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  propose(rest, kFarthest);
  const auto with = [&](const Departure& instead, std::uint32_t distance) {
    if (has_enough()) return;
    Plan plan = rest;
    plan.push_back(instead);
    propose(plan, distance);
  };
  for (const DepartureMade& other : others_) {
    if (other.departure.place == departure.place) with(other.departure, 1);
  }
  if (departure.place.kind() != ChoiceKind::kThread) return;
  const auto operations = static_cast<std::uint32_t>(departure.place.bits >> 16);
  for (std::uint32_t by = 1; by <= kFarthest; ++by) {
    for (const bool later : {true, false}) {
      if (!later && operations < by) continue;
      // The thread may be able to go on there or not.
      for (const std::uint32_t slot : {static_cast<std::uint32_t>(ChoiceKind::kThread), ChoicePlace::kForced})
        with({ChoicePlace::make(departure.place.thread(), later ? operations + by : operations - by, slot, 0),
              departure.pick},
             by);
    }
  }
}

// Threads one after another, but one of them as soon as it is there: what is set up late is there early then.
void Interventions::propose_orders_of_threads() {
  std::set<std::uint64_t> tried;
  for (const DepartureMade& other : others_) {
    if (other.departure.place.kind() != ChoiceKind::kThread) continue;
    if (tried.insert(other.departure.pick.bits).second)
      propose({other.departure}, std::numeric_limits<std::uint32_t>::max());
  }
}

// One departure more, near the end first.
void Interventions::propose_extras() {
  std::set<std::uint64_t> made;
  for (const Departure& departure : plan_) made.insert(departure.place.bits);
  std::uint32_t distance = kFarthest;
  for (std::size_t i = others_.size(); i-- > 0 && !has_enough();) {
    if (made.contains(others_[i].departure.place.bits)) continue;
    Plan plan = plan_;
    plan.push_back(others_[i].departure);
    propose(plan, ++distance);
  }
}

Status Interventions::try_all() {
  std::set<std::uint64_t> seen;
  for (const Intervention& proposal : proposals_) {
    if (!time_left(kShareOfTrying) || explanation_.interventions == options_.most_executions) break;
    auto outcome = candidates_.follow(proposal.plan);
    if (!outcome) return outcome.error();
    ++explanation_.interventions;
    if (outcome->cut || !passes(*outcome)) continue;
    ++explanation_.passed;
    if (seen.insert(outcome->result.trace_hash).second)
      passing_.push_back({std::move(outcome->choices), proposal.distance, explanation_.passed});
  }
  std::sort(passing_.begin(), passing_.end(), [](const Passing& a, const Passing& b) {
    return std::pair(a.distance, a.number) < std::pair(b.distance, b.number);
  });
  return Done{};
}

// Where no small change makes it pass: executions that begin as it does, for as long as may be, and go on at random.
Status Interventions::try_freely() {
  constexpr std::uint32_t kBeginnings = 16, kDraws = 12;
  const std::uint32_t length = static_cast<std::uint32_t>(failing_.choices.size());
  for (std::uint32_t left = kBeginnings; left-- > 0 && passing_.empty();) {
    const auto choices = static_cast<std::uint32_t>(std::uint64_t{length} * left / kBeginnings);
    for (std::uint32_t draw = 0; draw < kDraws && time_left(kShareOfTrying); ++draw) {
      auto outcome = candidates_.follow_beginning(choices, mix(mix(failing_.spec.seed, choices), draw));
      if (!outcome) return outcome.error();
      ++explanation_.interventions;
      if (outcome->cut || !passes(*outcome)) continue;
      ++explanation_.passed;
      passing_.push_back({std::move(outcome->choices), length - choices, explanation_.passed});
    }
  }
  return Done{};
}

// What the threads of a deadlock wait for is no event, since it never came about; but that they tried is what
// it is about.
void add_attempts(Trace& failing) {
  if (failing.findings.empty() || failing.findings.front().kind != FindingKind::kDeadlock) return;
  for (const TracePart& part : failing.findings.front().parts) {
    if (part.role != PartRole::kBlockedThread) continue;
    TraceEvent attempt;
    attempt.id = EventId{static_cast<std::uint32_t>(failing.total_events++)};
    attempt.kind = EventKind::kMutexLock;
    attempt.flags = event_flags::kBlocked | event_flags::kFailed;
    attempt.thread = part.thread;
    attempt.address = part.address;
    attempt.pc = part.pc;
    attempt.stack = part.stack;
    failing.events.push_back(attempt);
  }
}

// Of the executions that pass, the one with the least to explain.
Status Interventions::compare_all() {
  auto failing =
      trace_in_full(target_, failing_.spec, failing_.execution, failing_.choices, options_.allowed_exits);
  if (!failing) return failing.error();
  if (!failing_.findings.empty()) put_first(*failing, fingerprint(failing_, failing_.findings.front()));
  add_attempts(*failing);
  count_all(*failing, explanation_);
  std::optional<Comparison> best;
  const Passing* nearest = nullptr;
  std::size_t compared = 0;
  for (const Passing& candidate : passing_) {
    if (compared == options_.most_compared || (compared > 0 && !time_left(1))) break;
    auto passing =
        trace_in_full(target_, failing_.spec, failing_.execution, candidate.choices, options_.allowed_exits);
    if (!passing) return passing.error();
    ++compared;
    if (!passing->findings.empty() && passing->findings.front().severity == Severity::kBug) continue;
    Comparison comparison = compare(*failing, std::move(*passing));
    if (!comparison.says_something() || (best && !(comparison.difference < best->difference))) continue;
    best = std::move(comparison);
    nearest = &candidate;
  }
  if (best) {
    if (auto both = trace_both(target_, failing_, nearest->choices, options_.allowed_exits)) {
      add_attempts(both->failing);
      Comparison comparison = compare(both->failing, std::move(both->passing));
      if (comparison.says_something()) {
        *best = std::move(comparison);
        *failing = std::move(both->failing);
        count_all(*failing, explanation_);
      }
    }
    explanation_.failing = std::move(best->failing);
    explanation_.passing = std::move(best->passing);
  }
  explanation_.failing.trace = std::move(*failing);
  explanation_.failing.trace.minimised = failing_.minimised;
  explanation_.failing.trace.departures = failing_.departures;
  return Done{};
}

Result<Explanation> Interventions::run() {
  auto first = candidates_.follow_log();
  if (!first) return first.error();
  if (first->cut) return Error{"The execution is too long to be explained.", ExitCode::kInconclusive};
  if (first->result.ending == Ending::kDiverged || passes(*first))
    return Error{"The execution does not show its bug again: replay it to see where it differs.",
                 ExitCode::kInconclusive};
  for (const DepartureMade& made : first->departures) plan_.push_back(made.departure);
  auto again = candidates_.follow(plan_, true);
  if (!again) return again.error();
  others_ = again->others;
  candidates_.keep_logs();
  // A few that are far away come first: where there are very many near ones, they would not be tried any more.
  propose({}, std::numeric_limits<std::uint32_t>::max());
  propose_orders_of_threads();
  // What happened last is nearest to the failure.
  for (std::size_t i = plan_.size(); i-- > 0 && !has_enough();) propose_changes(i);
  propose_extras();
  if (auto status = try_all(); !status) return status.error();
  if (passing_.empty()) {
    if (auto status = try_freely(); !status) return status.error();
  }
  if (auto status = compare_all(); !status) return status.error();
  return std::move(explanation_);
}

}  // namespace

namespace {

// `words`: memory whose accesses are recorded besides what is found to be shared; what was recorded is there afterwards.
Result<Trace> trace_with(const run::Target& target, const RunSpec& spec, std::uint64_t execution,
                         std::span<const Choice> choices, const std::vector<int>& allowed_exits,
                         std::vector<Granule>& words, bool finds_more) {
  RunSpec full = spec;
  full.replay = ReplayKind::kExact;
  full.plain_events = PlainEvents::kShared;
  run::SingleOptions options;
  options.index = execution;
  options.replay = choices;
  options.allowed_exits = allowed_exits;
  options.kept_events = 1'000'000;
  options.also_shared = words;
  options.finds_shared = finds_more;
  auto run = run::run_single(target, full, options);
  if (!run) return run.error();
  if (run->result.ending == Ending::kDiverged)
    return Error{"The program does not repeat its execution while plain accesses are recorded.",
                 ExitCode::kInconclusive};
  run->trace.execution = execution;
  run->trace.spec = spec;
  words = std::move(run->shared);
  return std::move(run->trace);
}

}  // namespace

Result<Trace> trace_in_full(const run::Target& target, const RunSpec& spec, std::uint64_t execution,
                            std::span<const Choice> choices, const std::vector<int>& allowed_exits) {
  std::vector<Granule> words;
  return trace_with(target, spec, execution, choices, allowed_exits, words, true);
}

Result<TracedPair> trace_both(const run::Target& target, const Trace& failing,
                              std::span<const Choice> passing, const std::vector<int>& allowed_exits) {
  std::vector<Granule> words;
  const auto trace = [&](std::span<const Choice> choices, bool finds_more) {
    return trace_with(target, failing.spec, failing.execution, choices, allowed_exits, words, finds_more);
  };
  if (auto first = trace(failing.choices, true); !first) return first.error();
  auto passed = trace(passing, true);
  if (!passed) return passed.error();
  auto failed = trace(failing.choices, false);
  if (!failed) return failed.error();
  if (!failing.findings.empty()) put_first(*failed, fingerprint(failing, failing.findings.front()));
  return TracedPair{std::move(*failed), std::move(*passed)};
}

Result<Explanation> intervene(const run::Target& target, const Trace& failing,
                              const InterventionOptions& options) {
  RunSpec spec = failing.spec;
  // What runs much longer is not nearly the same.
  if ((failing.result.flags & result_flags::kFairMode) == 0)
    spec.max_steps = std::min(spec.max_steps, 4 * failing.result.steps + 50'000);
  auto candidates = Candidates::start(target, spec, failing);
  if (!candidates) return candidates.error();
  return Interventions(target, failing, options, std::move(*candidates)).run();
}

}  // namespace heddle::cause
