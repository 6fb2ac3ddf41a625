#include "tool/replay/minimize.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "tool/findings/fingerprint.h"
#include "tool/replay/candidates.h"
#include "tool/replay/shared_accesses.h"
#include "tool/run/interruption.h"

namespace heddle::replay {
namespace {

using Clock = std::chrono::steady_clock;
using Plan = std::vector<Departure>;

// What makes one execution harder to understand than another, the heaviest first.
struct Weight {
  std::uint64_t preemptions = 0;
  std::uint64_t others = 0;  // stale reads, failures without a reason, …
  std::uint64_t forced = 0;  // which thread goes on where one cannot
  std::uint64_t steps = 0;

  std::uint64_t departures() const { return preemptions + others + forced; }
  bool operator<(const Weight& other) const {
    if (departures() != other.departures()) return departures() < other.departures();
    if (preemptions != other.preemptions) return preemptions < other.preemptions;
    if (others != other.others) return others < other.others;
    return steps < other.steps;
  }
};

Weight weight_of(const Candidates::Outcome& outcome) {
  Weight weight;
  weight.steps = outcome.result.steps;
  for (const DepartureMade& made : outcome.departures) {
    if (made.departure.place.kind() != ChoiceKind::kThread) {
      ++weight.others;
    } else {
      ++(made.preempts != 0 ? weight.preemptions : weight.forced);
    }
  }
  return weight;
}

class Minimiser {
 public:
  Minimiser(const Trace& original, const MinimiseOptions& options, Candidates candidates)
      : original_(original), options_(options), candidates_(std::move(candidates)), began_(Clock::now()) {}

  Result<Trace> run();

 private:
  // What is left is marked in any case, for which some time is put by.
  static constexpr double kForShrinking = 0.8, kForMarking = 1.5;
  bool time_left(double share = kForShrinking) const {
    return seconds() < share * options_.seconds && !error_ && !run::was_interrupted();
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  bool shows_bug(const Candidates::Outcome& outcome);
  bool shows_bug_with_events(const Candidates::Outcome& outcome);
  void learn_signatures(const Candidates::Outcome& outcome);
  // Runs the plan; where it shows the bug and is no worse than the best one, it becomes the best one.
  bool improves(const Plan& plan);
  bool take(Candidates::Outcome outcome);
  Plan without(std::size_t from, std::size_t to) const;
  void drop_kinds();
  void drop_chunks();
  bool drop_pairs();
  bool drop_singles();
  bool merge_turns();
  bool search(std::uint64_t depth);
  bool search_below(Plan& plan, const std::vector<DepartureMade>& others, std::uint64_t depth);
  void shrink();
  Result<Trace> finish();
  Result<Trace> trace_of_best();
  RunSpec spec_of_best() const;
  void mark_departures(Trace& trace, const std::vector<DepartureMade>& made);
  void keep_original_findings(Trace& trace) const;

  const Trace& original_;
  const MinimiseOptions& options_;
  Candidates candidates_;
  Clock::time_point began_;
  std::string wanted_;                                 // fingerprint
  std::unordered_map<std::uint64_t, bool> signature_;  // of the runtime: is it this bug's?
  Candidates::Outcome best_;
  Plan plan_;  // of the best one: what it made
  Weight weight_;
  std::uint64_t searched_ = 0;
  std::uint64_t departures_before_ = 0;
  std::uint64_t preemptions_before_ = 0;
  std::uint64_t switches_before_ = 0, switches_after_ = 0;
  bool complete_ = false;
  bool doubts_signatures_ =
      false;  // one of them stands for other bugs, too: each candidate is run with events
  std::optional<Error> error_;
};

// The runtime's signature of a race knows one side only. Which bugs it stands for is seen when such an
// execution is run with events.
void Minimiser::learn_signatures(const Candidates::Outcome& outcome) {
  for (const std::uint64_t s : run::signatures_of(outcome.result, options_.allowed_exits))
    signature_.emplace(s, false);
  auto explained = candidates_.explain(candidates_.spec(), outcome.choices);
  if (!explained) {
    error_ = explained.error();
    return;
  }
  const Trace& trace = explained->run.trace;
  for (const TraceFinding& finding : trace.findings) {
    if (fingerprint(trace, finding) == wanted_) signature_[finding.signature] = true;
  }
}

// A result has room for a few signatures, and a signature knows less of a bug than its fingerprint does (of a
// thread that waits inside a library, not who has called that): with events all is seen.
bool Minimiser::shows_bug_with_events(const Candidates::Outcome& outcome) {
  auto explained = candidates_.explain(candidates_.spec(), outcome.choices);
  if (!explained) {
    error_ = explained.error();
    return false;
  }
  const Trace& trace = explained->run.trace;
  return std::ranges::any_of(
      trace.findings, [&](const TraceFinding& finding) { return fingerprint(trace, finding) == wanted_; });
}

bool Minimiser::shows_bug(const Candidates::Outcome& outcome) {
  if (outcome.cut) return false;
  const auto signatures = run::signatures_of(outcome.result, options_.allowed_exits);
  if (std::any_of(signatures.begin(), signatures.end(),
                  [&](std::uint64_t s) { return !signature_.contains(s); }))
    learn_signatures(outcome);
  if (std::any_of(signatures.begin(), signatures.end(), [&](std::uint64_t s) { return signature_.at(s); }))
    return !doubts_signatures_ || shows_bug_with_events(outcome);
  return signatures.size() > kMoreSignatures && shows_bug_with_events(outcome);
}

bool Minimiser::take(Candidates::Outcome outcome) {
  const Weight weight = weight_of(outcome);
  if (!(weight < weight_)) return false;
  weight_ = weight;
  plan_.clear();
  for (const DepartureMade& made : outcome.departures) plan_.push_back(made.departure);
  best_ = std::move(outcome);
  return true;
}

bool Minimiser::improves(const Plan& plan) {
  if (!time_left()) return false;
  auto outcome = candidates_.follow(plan);
  if (!outcome) {
    error_ = outcome.error();
    return false;
  }
  return weight_of(*outcome) < weight_ && shows_bug(*outcome) && take(std::move(*outcome));
}

Plan Minimiser::without(std::size_t from, std::size_t to) const {
  Plan plan(plan_.begin(), plan_.begin() + static_cast<std::ptrdiff_t>(from));
  plan.insert(plan.end(), plan_.begin() + static_cast<std::ptrdiff_t>(to), plan_.end());
  return plan;
}

// All of one kind at once: most bugs need only one or two.
void Minimiser::drop_kinds() {
  if (improves({})) return;
  Plan threads;
  std::copy_if(plan_.begin(), plan_.end(), std::back_inserter(threads),
               [](const Departure& d) { return d.place.kind() == ChoiceKind::kThread; });
  if (threads.size() != plan_.size()) improves(threads);
  Plan others;
  std::copy_if(plan_.begin(), plan_.end(), std::back_inserter(others),
               [](const Departure& d) { return d.place.kind() != ChoiceKind::kThread; });
  if (others.size() != plan_.size()) improves(others);
}

// ddmin: complements of ever smaller chunks.
void Minimiser::drop_chunks() {
  std::size_t chunk = plan_.size();
  while (chunk > 1 && time_left()) {
    chunk = (chunk + 1) / 2;
    // From the end: what comes late depends on what comes early.
    for (std::size_t end = plan_.size(); end > 0 && time_left();) {
      const std::size_t from = end - std::min(end, chunk);
      improves(without(from, end));
      end = std::min(from, plan_.size());
    }
  }
}

bool Minimiser::drop_singles() {
  bool any = false;
  for (std::size_t i = plan_.size(); i-- > 0 && time_left();) {
    if (i < plan_.size() && improves(without(i, i + 1))) any = true;
  }
  return any;
}

// There and back again: two switches that make no sense without each other.
bool Minimiser::drop_pairs() {
  constexpr std::size_t kMost = 40;
  if (plan_.size() > kMost) return false;
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    for (std::size_t k = i + 1; k < plan_.size() && time_left(); ++k) {
      Plan plan = without(k, k + 1);
      plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(i));
      if (improves(plan)) return true;
    }
  }
  return false;
}

// A thread that is interrupted at two places may be interrupted at the later one only: its two turns become
// one, and who had run in between runs after it, with or without the switch back (in the spirit of Jalbert
// and Sen, FSE 2010, who merge the turns of threads).
bool Minimiser::merge_turns() {
  const auto is_switch = [](const Departure& d) { return d.place.kind() == ChoiceKind::kThread; };
  for (std::size_t i = 0; i + 1 < plan_.size() && time_left(); ++i) {
    // Ordered by thread, then by operation.
    const ThreadId thread = plan_[i].place.thread();
    if (!is_switch(plan_[i]) || !is_switch(plan_[i + 1]) || plan_[i + 1].place.thread() != thread) continue;
    Plan merged = without(i, i + 1);
    if (improves(merged)) return true;
    const ChoiceKey last = merged[i].pick;
    merged[i].pick = plan_[i].pick;
    if (improves(merged)) return true;
    for (std::size_t k = 0; k < merged.size() && time_left(); ++k) {
      if (!is_switch(merged[k]) || merged[k].pick.as_thread() != thread) continue;
      // Who was interrupted for it goes on to whom it would have made way.
      Plan direct = merged;
      direct[k].pick = last;
      if (improves(direct)) return true;
      direct.erase(direct.begin() + static_cast<std::ptrdiff_t>(k));
      if (improves(direct)) return true;
    }
  }
  return false;
}

// Plans of `depth` departures, from scratch.
bool Minimiser::search(std::uint64_t depth) {
  if (!time_left()) return false;
  auto plain = candidates_.follow({}, true);
  if (!plain) {
    error_ = plain.error();
    return false;
  }
  Plan plan;
  return search_below(plan, plain->others, depth);
}

// `others`: what can follow the departures of `plan`.
bool Minimiser::search_below(Plan& plan, const std::vector<DepartureMade>& others, std::uint64_t depth) {
  for (const DepartureMade& next : others) {
    if (!time_left() || searched_ >= options_.most_searched) return false;
    ++searched_;
    plan.push_back(next.departure);
    auto outcome = candidates_.follow(plan, depth > 1);
    if (!outcome) {
      error_ = outcome.error();
      return false;
    }
    if (weight_of(*outcome) < weight_ && shows_bug(*outcome) && take(*outcome)) return true;
    if (depth > 1) {
      std::vector<DepartureMade> later;
      std::copy_if(outcome->others.begin(), outcome->others.end(), std::back_inserter(later),
                   [&](const DepartureMade& other) { return other.choice > next.choice; });
      if (search_below(plan, later, depth - 1)) return true;
    }
    plan.pop_back();
  }
  return false;
}

Result<Trace> Minimiser::run() {
  if (original_.findings.empty()) return Error{"The artifact has no finding: there is nothing to minimise."};
  wanted_ = fingerprint(original_, original_.findings.front());
  signature_.emplace(original_.findings.front().signature, true);
  auto first = candidates_.follow_log();
  if (!first) return first.error();
  if (first->cut) return Error{"The execution is too long to be minimised.", ExitCode::kInconclusive};
  if (first->result.ending == Ending::kDiverged || !shows_bug(*first))
    return Error{"The execution does not show its bug again: replay it to see where it differs.",
                 ExitCode::kInconclusive};
  departures_before_ = first->departures.size();
  switches_before_ = first->switches;
  preemptions_before_ = weight_of(*first).preemptions;
  const Weight anything{~0ull >> 8, 0, 0, 0};  // is better
  weight_ = anything;
  take(*first);
  shrink();
  auto trace = finish();
  if (trace || !doubts_signatures_) return trace;
  // The best one shows another bug with the same signature.
  weight_ = anything;
  take(std::move(*first));
  shrink();
  return finish();
}

void Minimiser::shrink() {
  drop_kinds();
  bool again = true;
  while (again && time_left()) {
    drop_chunks();
    while (drop_singles()) {
    }
    again = merge_turns() || drop_pairs();
  }
  for (std::uint64_t depth = 1; depth < weight_.departures(); ++depth) search(depth);
}

void Minimiser::mark_departures(Trace& trace, const std::vector<DepartureMade>& made) {
  // A departure is critical if the bug is not shown without it. What was no improvement was tried and
  // rejected for that reason only: taking something away always is one.
  complete_ = made.size() == plan_.size();
  for (std::size_t i = 0; i < made.size() && made.size() == plan_.size(); ++i) {
    const Departure& departure = made[i].departure;
    TraceDeparture d;
    d.kind = departure.place.kind();
    d.preempts = made[i].preempts != 0;
    d.thread = departure.place.thread();
    if (d.kind == ChoiceKind::kThread) d.to = departure.pick.as_thread();
    d.choice = made[i].choice;
    const ThreadId shown_by = d.kind == ChoiceKind::kThread ? d.to : d.thread;
    auto event = std::lower_bound(trace.events.begin(), trace.events.end(), EventId{made[i].event},
                                  [](const TraceEvent& e, EventId id) { return e.id < id; });
    while (event != trace.events.end() && event->thread != shown_by) ++event;
    if (event != trace.events.end()) d.event = event->id;
    if (time_left(kForMarking)) {
      auto outcome = candidates_.follow(without(i, i + 1));
      if (!outcome) error_ = outcome.error();
      d.critical = outcome && !shows_bug(*outcome);
    }
    complete_ = complete_ && d.critical;
    trace.departures.push_back(d);
  }
}

void Minimiser::keep_original_findings(Trace& trace) const {
  std::vector<std::string> known;
  for (const TraceFinding& finding : original_.findings) known.push_back(fingerprint(original_, finding));
  std::erase_if(trace.findings, [&](const TraceFinding& finding) {
    return std::find(known.begin(), known.end(), fingerprint(trace, finding)) == known.end();
  });
  put_first(trace, wanted_);
}

// A candidate that came to its bound became fair there, and does so again only at the same one.
RunSpec Minimiser::spec_of_best() const {
  RunSpec spec = original_.spec;
  if (best_.result.steps >= candidates_.spec().max_steps) spec.max_steps = candidates_.spec().max_steps;
  return spec;
}

Result<Trace> Minimiser::trace_of_best() {
  auto explained =
      candidates_.explain(spec_of_best(), best_.choices, Candidates::Others::kNone, options_.kept_events);
  if (!explained) return explained.error();
  Trace trace = std::move(explained->run.trace);
  trace.execution = original_.execution;
  if (explained->run.result.trace_hash != best_.result.trace_hash ||
      explained->run.result.ending != best_.result.ending)
    return Error{
        "A smaller execution was found, but it did not repeat: the program depends on something outside "
        "heddle's control.",
        ExitCode::kInconclusive};
  switches_after_ = explained->switches;
  keep_original_findings(trace);
  if (trace.findings.empty() || fingerprint(trace, trace.findings.front()) != wanted_) {
    const bool doubted = doubts_signatures_;
    doubts_signatures_ = true;
    return Error{doubted ? "The bug shows in another way each time: nothing smaller was kept."
                         : "Another bug has the same signature.",
                 ExitCode::kInconclusive};
  }
  mark_departures(trace, explained->departures);
  return trace;
}

Result<Trace> Minimiser::finish() {
  auto trace = trace_of_best();
  if (!trace) return trace;
  Minimisation m;
  m.before = size_of(original_);
  m.before.departures = departures_before_;
  m.before.preemptions = preemptions_before_;
  m.before.switches = switches_before_;
  m.after = size_of(*trace);
  m.after.departures = weight_.departures();
  m.after.preemptions = weight_.preemptions;
  m.after.switches = switches_after_;
  m.candidates = candidates_.executed();
  m.milliseconds = static_cast<std::uint64_t>(seconds() * 1000);
  m.complete = complete_;
  trace->minimised = m;
  if (error_) return *error_;
  return trace;
}

// Candidates that run much longer than the original are not smaller.
RunSpec candidate_spec(const Trace& original, double seconds) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  RunSpec spec = original.spec;
  if ((original.result.flags & result_flags::kFairMode) == 0)
    spec.max_steps = std::min(spec.max_steps, 2 * original.result.steps + 50'000);
  const std::uint64_t patience = kSecond + std::uint64_t{original.result.duration_us} * 4000;
  const auto budget = static_cast<std::uint64_t>(seconds * static_cast<double>(kSecond));
  spec.timeout_ns = std::min({spec.timeout_ns, patience, std::max(budget, kSecond)});
  return spec;
}

}  // namespace

Result<Trace> minimise(const run::Target& target, const Trace& original, const MinimiseOptions& options) {
  // It has to be executed three times at least, to see that it repeats and to show what came of it.
  if (4 * static_cast<double>(original.result.duration_us) * 1e-6 > options.seconds)
    return Error{"One execution takes too long for the time given.", ExitCode::kInconclusive};
  auto candidates = Candidates::start(target, candidate_spec(original, options.seconds), original);
  if (!candidates) return candidates.error();
  auto small = Minimiser(original, options, std::move(*candidates)).run();
  if (small) add_shared_accesses(target, *small, options.seconds);
  return small;
}

TraceSize size_of(const Trace& trace) {
  TraceSize size;
  size.events = trace.total_events;
  const TraceEvent* last = nullptr;
  for (const TraceEvent& event : trace.events) {
    if (last != nullptr && last->thread != event.thread) ++size.switches;
    if ((event.flags & event_flags::kStale) != 0) ++size.stale_reads;
    last = &event;
  }
  if (trace.events.size() == trace.total_events) return size;
  // Only some events were kept: what was chosen tells of all but those switches that were no choice.
  size.switches = 0;
  ChoiceKey runs;
  for (const Choice choice : trace.choices) {
    if (choice.kind() != ChoiceKind::kThread) continue;
    if (!(choice.picked() == runs)) ++size.switches;
    runs = choice.picked();
  }
  return size;
}

}  // namespace heddle::replay
