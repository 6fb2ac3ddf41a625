#include "tool/run/hunt.h"

#include <algorithm>
#include <chrono>

#include "core/base/random.h"
#include "tool/run/interruption.h"
#include "tool/run/time_limit.h"
#include "tool/run/visible_race.h"

namespace heddle::run {

Hunt::Hunt(Target target, CampaignOptions options, WantedFailure wanted)
    : target_(std::move(target)), options_(std::move(options)), wanted_(std::move(wanted)) {
  visible_ = options_.spec.visible;
  options_.max_failures = 1;
  options_.looks_for = [this](const Trace& trace, const TraceFinding& finding) {
    return wanted_.is(trace, finding);
  };
}

// 256, then more and more: a round that learns of no new race should cost little to begin.
Hunt::Round Hunt::next_round() const {
  constexpr std::uint64_t kFirst = 256, kMost = 1 << 20;
  Round round;
  round.executions = std::min(kFirst << std::min<std::uint64_t>(rounds_, 20), kMost);
  if (options_.executions)
    round.executions =
        std::min(round.executions, *options_.executions - std::min(*options_.executions, executions_));
  round.sees_races = visible_.any() && rounds_ % 3 != 2;
  return round;
}

void Hunt::add_to_report(report::CampaignReport& report) {
  report.executions += sum_.executions;
  report.buggy_executions += sum_.buggy_executions;
  report.redundant_executions += sum_.redundant_executions;
  report.pruned_executions += sum_.pruned_executions;
  report.seconds += sum_.seconds;
  for (std::size_t i = 0; i < report::kEndings; ++i) report.endings[i] += sum_.endings[i];
  for (report::CampaignFinding& found : report.findings) found.first_execution += sum_.executions;
  sum_ = report;
}

CampaignOutcome Hunt::run(std::optional<double> seconds) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const double most = seconds.value_or(options_.seconds);
  const auto left = [&] { return most - std::chrono::duration<double>(Clock::now() - began).count(); };
  CampaignOutcome outcome;
  do {
    const Round round = next_round();
    CampaignOptions options = options_;
    options.executions = round.executions;
    options.seconds = most > 0 ? std::max(std::min(left(), seconds_left()), 0.01) : 0;
    options.spec.visible = round.sees_races ? visible_ : options_.spec.visible;
    if (round.sees_races) options.spec.visible.silence = VisiblePlaces::kVisibleOnes;
    if (rounds_ != 0) options.spec.seed = mix(options_.spec.seed, rounds_);
    ++rounds_;
    Campaign campaign(target_, options);
    if (prepare) prepare(campaign);
    outcome = campaign.run();
    executions_ += outcome.report.executions;
    const bool ended = outcome.report.search_ended;
    add_to_report(outcome.report);
    bool is_new = false;
    for (const FoundBug& bug : outcome.bugs)
      is_new = add_race(bug.trace.findings[bug.finding], visible_) || is_new;
    if (outcome.error && outcome.report.executions == 0) ended_ = true;
    if (ended && !is_new && (round.sees_races || !visible_.any())) ended_ = true;
    if (options_.executions && executions_ >= *options_.executions) ended_ = true;
    if (wanted_bug(outcome) != nullptr) break;
  } while (!ended_ && !was_interrupted() && !time_is_up() && (most <= 0 || left() > 0));
  return outcome;
}

FoundBug* wanted_bug(CampaignOutcome& outcome) {
  for (FoundBug& bug : outcome.bugs) {
    const bool is_bug = bug.trace.findings[bug.finding].severity == Severity::kBug;
    if (is_bug && !bug.passed_by && bug.confirmed) return &bug;
  }
  return nullptr;
}

}  // namespace heddle::run
