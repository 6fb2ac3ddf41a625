#include "tool/cause/trials.h"

#include <algorithm>
#include <cstdio>

#include "core/base/random.h"
#include "tool/cause/interventions.h"
#include "tool/findings/fingerprint.h"
#include "tool/replay/candidates.h"
#include "tool/run/interruption.h"
#include "tool/run/race_consequences.h"
#include "tool/run/time_limit.h"
#include "tool/run/visible_race.h"
#include "tool/trace/stack_view.h"

namespace heddle::cause {
namespace {

// Without a rule: what it takes at most to see whether the bug is a rare one.
constexpr std::uint64_t kMostForBase = 20'000;
// A trial is this many times as long as it takes to find the bug, within bounds. With a bug that shows in one
// execution of m, 20 m executions without it are chance with a probability of e^-20.
constexpr std::uint64_t kTimesBase = 20, kLeastTimesBase = 5, kShortest = 100, kLongest = 20'000;
constexpr double kShareOfTrial = 0.03;  // of the time

RunSpec with_rules(RunSpec spec, const Rules& rules) {
  spec.rule_count = static_cast<std::uint8_t>(std::min<std::size_t>(rules.size(), kMostRules));
  std::copy_n(rules.begin(), spec.rule_count, spec.rules);
  return spec;
}

// The same condition fails, whichever thread came to it: an assertion of these words, an exception of this
// type. A change that only moves it into another thread is none that helps.
bool fails_alike(const TraceFinding& a, const TraceFinding& b) {
  return a.kind == b.kind && a.message == b.message &&
         (a.kind == FindingKind::kAssertion || a.kind == FindingKind::kUncaughtException);
}

// The functions of the user's that a finding is about, and the words that it touches.
struct About {
  std::set<std::string> functions;
  std::set<Address> words;
};

About about(const Trace& trace, const TraceFinding& finding) {
  About found;
  for (const TracePart* part : deciding_parts(finding)) {
    const std::vector<Frame> frames = visible_frames(trace, part->pc, part->stack);
    if (const Frame* frame = deciding_frame(frames)) found.functions.insert(frame->function);
    if (part->address != 0) found.words.insert(part->address / 8);
  }
  return found;
}

bool have_common(const auto& a, const auto& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& one) { return b.contains(one); });
}

bool is_hang(FindingKind kind) { return manner_of(kind) == Manner::kHang; }

// "deadlock at queue.cpp:41"
std::string finding_line(const Trace& trace, const TraceFinding& finding) {
  std::string text = to_string(finding.kind);
  for (const TracePart* part : deciding_parts(finding)) {
    const std::vector<Frame> frames = visible_frames(trace, part->pc, part->stack);
    const Frame* frame = deciding_frame(frames);
    if (frame == nullptr || frame->line == 0) continue;
    return text + " at " + frame->file.substr(frame->file.rfind('/') + 1) + ":" + std::to_string(frame->line);
  }
  return text;
}

}  // namespace

bool Trials::is_wanted(const Trace& trace, const TraceFinding& finding) const {
  const std::string print = fingerprint(trace, finding);
  return print == wanted_ || consequences_.contains(print) ||
         (!failing_.findings.empty() && fails_alike(finding, failing_.findings.front()));
}

// Another finding under rules: does the change leave it, or make it? A race elsewhere is a bug of its own. What hangs
// under the rules and not without them was made by them. All else that goes wrong in the same functions, or with the
// same words of memory, is what the bug led to.
bool Trials::is_left_over(const Trace& trace, const TraceFinding& finding) const {
  const bool is_known = without_rules_.contains(fingerprint(trace, finding));
  if (is_hang(finding.kind) && !is_known) return true;
  if (failing_.findings.empty()) return false;
  const About wanted = about(failing_, failing_.findings.front());
  const About found = about(trace, finding);
  if (finding.kind == FindingKind::kDataRace && !is_race() && is_known) return false;
  return have_common(wanted.functions, found.functions) || have_common(wanted.words, found.words);
}

Trials::Trials(const run::Target& target, const Trace& failing, const TrialOptions& options)
    : target_(target), failing_(failing), options_(options), began_(run::budget_seconds()) {
  if (!failing.findings.empty()) {
    wanted_ = fingerprint(failing, failing.findings.front());
    run::add_race(failing.findings.front(), race_);
  }
  seed_ = failing.spec.seed;
  visible_ = failing.spec.visible;
  auto candidates = replay::Candidates::start(target, failing.spec, failing);
  if (!candidates) return;
  auto outcome = candidates->follow_log();
  if (!outcome || outcome->cut) return;
  for (const DepartureMade& made : outcome->departures) plan_.push_back(made.departure);
  has_plan_ = true;
}

bool Trials::time_left() const { return !run::time_is_up() && seconds_used() < options_.seconds; }

double Trials::seconds_used() const { return run::budget_seconds() - began_; }

std::uint64_t Trials::that_fit(std::uint64_t executions, double share, std::uint64_t fewest) const {
  if (seconds_of_one_ <= 0) return executions;
  const double fit = share * options_.seconds / seconds_of_one_;
  return std::min(executions, std::max(fewest, static_cast<std::uint64_t>(std::min(fit, 1e9))));
}

void Trials::calibrate() {
  std::uint64_t executions = 0;
  const double began = run::budget_seconds();
  const auto used = [&] { return run::budget_seconds() - began; };
  for (int i = 0; i < 3 && used() < options_.seconds / 10; ++i) {
    const run::TimeShare share(options_.seconds / 10);
    const Outcome outcome = explore({}, kMostForBase);
    executions += outcome.executions;
    base_ = std::max(base_, outcome.executions);
    // It showed once, in the campaign that found it.
    if (!outcome.shows) base_ = std::max(base_, failing_.execution + 1);
    if (!outcome.shows) break;
  }
  if (executions != 0) seconds_of_one_ = used() / static_cast<double>(executions);
  // Where executions are long, trials are shorter: what helps is tried at length in the end.
  length_ = std::clamp(kTimesBase * base_, kShortest, kLongest);
  length_ = that_fit(length_, kShareOfTrial, std::clamp(kLeastTimesBase * base_, kShortest, kLongest));
}

Trials::Turns::Turns(Trials& trials, std::span<const std::uint64_t> code)
    : trials_(trials), before_(trials.visible_) {
  for (const std::uint64_t pc : code) trials_.visible_.add_code(pc);
}

RunSpec Trials::spec_with_turns() const {
  RunSpec spec = failing_.spec;
  spec.visible = visible_;
  return spec;
}

// The departures of the failing execution once more: where the rules leave them possible, the bug is there at
// once.
bool Trials::shows_when_followed(const Rules& rules) {
  if (!has_plan_) return false;
  RunSpec spec = with_rules(spec_with_turns(), rules);
  spec.max_steps = std::min(spec.max_steps, 4 * failing_.result.steps + 50'000);
  auto candidates = replay::Candidates::start(target_, spec, failing_);
  if (!candidates) return false;
  auto outcome = candidates->follow(plan_);
  if (!outcome || run::signatures_of(outcome->result, options_.allowed_exits).empty()) return false;
  auto explained = candidates->explain(spec, outcome->choices);
  if (!explained) return false;
  const Trace& trace = explained->run.trace;
  return std::any_of(trace.findings.begin(), trace.findings.end(),
                     [&](const TraceFinding& finding) { return is_wanted(trace, finding); });
}

std::optional<Trace> Trials::trace_when_followed(const Rules& rules) {
  if (!has_plan_) return std::nullopt;
  const RunSpec spec = with_rules(spec_with_turns(), rules);
  auto candidates = replay::Candidates::start(target_, spec, failing_);
  if (!candidates) return std::nullopt;
  candidates->keep_logs();
  auto outcome = candidates->follow(plan_);
  if (!outcome || outcome->cut) return std::nullopt;
  auto trace = trace_in_full(target_, spec, failing_.execution, outcome->choices, options_.allowed_exits);
  return trace ? std::optional(std::move(*trace)) : std::nullopt;
}

Trials::Outcome Trials::try_rules(const Rules& rules) {
  if (!time_left()) {
    Outcome unknown;
    unknown.known = false;
    return unknown;
  }
  if (shows_when_followed(rules)) {
    ++count_;
    Outcome outcome;
    outcome.shows = true;
    outcome.executions = 1;
    return outcome;
  }
  return explore(rules, length_);
}

void Trials::learn_consequences() {
  knows_consequences_ = true;
  run::CampaignOptions campaign;
  campaign.spec = failing_.spec;
  campaign.seconds = std::min(options_.seconds / 6, run::seconds_left());
  campaign.jobs = options_.jobs;
  campaign.allowed_exits = options_.allowed_exits;
  if (campaign.seconds <= 0) return;
  const std::uint64_t most =
      that_fit(run::executions_for_consequences(failing_.result.steps), 2 * kShareOfTrial, kShortest);
  const run::TimeShare share(campaign.seconds);
  const run::RaceConsequences found = run::ConsequenceSearch(target_, campaign, most).search(race_);
  for (const run::FoundBug& bug : found.bugs)
    consequences_.insert(fingerprint(bug.trace, bug.trace.findings[bug.finding]));
}

Trials::Outcome Trials::explore_consequences(const Rules& rules, std::uint64_t executions, double seconds) {
  if (!knows_consequences_) learn_consequences();
  RunSpec spec = spec_with_turns();
  for (const VisiblePlace& place : race_.all_places()) spec.visible.add(place);
  if (executions == 0) {
    executions = that_fit(run::executions_for_consequences(failing_.result.steps), kShareOfTrial,
                          std::clamp(kLeastTimesBase * base_, kShortest, kLongest));
  }
  return explore_as(spec, rules, executions, seconds);
}

Trials::Outcome Trials::explore(const Rules& rules, std::uint64_t executions, double seconds) {
  return explore_as(spec_with_turns(), rules, executions, seconds);
}

std::uint64_t Trials::behaviours(const Rules& rules, bool of_race) {
  constexpr std::uint64_t kSample = 500, kLeast = 60;
  run::CampaignOptions campaign;
  campaign.spec = with_rules(spec_with_turns(), rules);
  if (of_race) {
    for (const VisiblePlace& place : race_.all_places()) campaign.spec.visible.add(place);
  }
  std::snprintf(campaign.spec.strategy, sizeof campaign.spec.strategy, "random");
  campaign.executions = that_fit(kSample, kShareOfTrial / 2, kLeast);
  campaign.seconds = std::min(options_.seconds / 10, run::seconds_left());
  if (campaign.seconds <= 0) return 0;
  campaign.jobs = options_.jobs;
  campaign.max_failures = 0;
  campaign.allowed_exits = options_.allowed_exits;
  campaign.output_directory.clear();
  campaign.looks_for = [](const Trace&, const TraceFinding&) { return false; };
  return run::Campaign(target_, campaign).run().report.distinct_executions;
}

Trials::Outcome Trials::explore_as(RunSpec spec, const Rules& rules, std::uint64_t executions,
                                   double seconds) {
  ++count_;
  Outcome outcome;
  const double own = options_.seconds - seconds_used();
  const double left = std::min(std::max(seconds, own), run::seconds_left());
  if (left <= 0 || run::was_interrupted()) {
    outcome.known = false;
    return outcome;
  }
  run::CampaignOptions campaign;
  campaign.spec = with_rules(spec, rules);
  std::snprintf(campaign.spec.strategy, sizeof campaign.spec.strategy, "auto");
  campaign.spec.seed = seed_ = mix(seed_, count_);
  campaign.executions = executions;
  campaign.jobs = options_.jobs;
  campaign.max_failures = 0;
  campaign.allowed_exits = options_.allowed_exits;
  campaign.output_directory.clear();
  std::atomic<bool> enough = false;
  run::Campaign search(target_, campaign);
  search.on_bug = [&](const run::FoundBug& bug) {
    const TraceFinding& finding = bug.trace.findings[bug.finding];
    if (finding.severity != Severity::kBug) return;
    const bool shows = is_wanted(bug.trace, finding) || (!rules.empty() && is_left_over(bug.trace, finding));
    if (rules.empty() && !shows) without_rules_.insert(fingerprint(bug.trace, finding));
    if (shows) {
      outcome.shows = true;
      outcome.executions = bug.first_execution + 1;
      outcome.trace = bug.trace;
      enough = true;
    } else {
      outcome.other_bugs.push_back(finding_line(bug.trace, finding));
    }
  };
  // The campaign's own limit is the clock's; this one may be the processors'.
  const double until = run::budget_seconds() + left;
  bool is_late = false;
  search.on_progress = [&](const report::Progress&) {
    is_late = is_late || run::budget_seconds() >= until;
    if (is_late) enough = true;
  };
  const run::CampaignOutcome result = search.run(&enough);
  if (outcome.shows) return outcome;
  outcome.executions = result.report.executions;
  outcome.is_complete = result.report.exhausted;
  outcome.known = !result.error && (outcome.is_complete || outcome.executions >= executions);
  return outcome;
}

}  // namespace heddle::cause
