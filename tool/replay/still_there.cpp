#include "tool/replay/still_there.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "core/base/random.h"
#include "tool/replay/minimize.h"
#include "tool/replay/nearby.h"
#include "tool/replay/replay.h"
#include "tool/replay/visible_carried.h"
#include "tool/run/hunt.h"
#include "tool/run/interruption.h"
#include "tool/run/time_limit.h"

namespace heddle::replay {
namespace {

using report::FixedAnswer;
using FoundBy = FixedAnswer::FoundBy;

// Shares of the time. When the bug was found, its rate needs less.
constexpr double kNearShare = 0.2, kNowShare = 0.4, kBeforeShare = 0.2, kFoundShare = 0.15;
// Of each program, where neither a number nor a time is given; and the most that the old one gets, whose rate is not what
// is asked for.
constexpr std::uint64_t kExecutionsWithoutLimit = 100'000, kMostBefore = 20'000;
// For the old execution and what is near it, which is bound by numbers, too.
constexpr double kSecondsWithoutLimit = 60;

// How the artifact's execution was made, without what belongs to that one execution or to its strategy.
RunSpec campaign_spec(const RunSpec& original, const char* strategy, std::uint64_t seed) {
  RunSpec spec = original;
  spec.seed = seed;
  spec.replay = ReplayKind::kNone;
  spec.record_events = 0;
  spec.verify = 0;
  spec.plain_events = PlainEvents::kNone;
  spec.symbolic = spec.fresh_memory = spec.path_trace = spec.run_on = spec.rule_count = 0;
  std::memset(spec.strategy, 0, sizeof spec.strategy);
  std::strncpy(spec.strategy, strategy, sizeof spec.strategy - 1);
  return spec;
}

class Looker {
 public:
  Looker(const run::Target& now, const run::Target* before, const Trace& original,
         const StillThereOptions& options)
      : now_(now), before_(before), original_(original), options_(options) {
    FixedAnswer& answer = result_.answer;
    answer.bug = &original;
    answer.program = now.argv;
    answer.program_path = now.path;
    answer.build_id = now.build_id;
    answer.seed = options.seed;
    answer.is_same_build = !now.build_id.empty() && now.build_id == original.program.build_id;
  }

  StillThere look() {
    carried_ = original_;
    {
      const run::TimeShare share(options_.seconds > 0 ? share_of(kNearShare) : kSecondsWithoutLimit);
      if (result_.answer.is_same_build) {
        look_again();
      } else {
        carry_visible();
        look_near();
      }
    }
    if (is_own_error()) return finish();
    measure_now();
    if (!may_go_on()) return finish();
    measure_before();
    if (!result_.found && !result_.answer.exhausted && may_go_on()) search();
    return finish();
  }

 private:
  // (0 would be no limit.)
  double share_of(double share) const {
    return options_.seconds > 0 ? std::max(std::min(options_.seconds * share, run::seconds_left()), 0.01) : 0;
  }
  bool is_own_error() const { return result_.error && result_.error->code == ExitCode::kOwnError; }
  bool may_go_on() const {
    return !result_.error && !run::was_interrupted() && (options_.seconds <= 0 || run::seconds_left() > 0.1);
  }
  void step(const std::string& what) const {
    if (options_.on_step) options_.on_step(what);
  }

  void take(Trace trace, FoundBy by) {
    if (result_.found) return;
    result_.found = std::move(trace);
    result_.answer.found_by = by;
  }

  // The very program of the artifact.
  void look_again() {
    step("replaying the execution");
    auto again = replay(now_, original_, {});
    if (!again) return note(again.error());
    ++result_.executions;
    result_.answer.departures = result_.answer.departures_there = original_.departures.size();
    if (again->reproduced && put_same_first(again->trace, original_)) {
      again->trace.execution = original_.execution;
      again->trace.spec = original_.spec;
      take(std::move(again->trace), FoundBy::kOldExecution);
    } else {
      result_.answer.why_not_carried = "The execution of the artifact did not come again, in the same build.";
    }
  }

  // What was said of one way to look does not keep the others from looking.
  void note(const Error& error) {
    if (error.code == ExitCode::kOwnError) result_.error = error;
    result_.answer.why_not_carried = error.message;
  }

  void carry_visible() {
    if (!original_.spec.visible.any()) return;
    step("looking up the accesses that are choices");
    carried_.spec.visible = visible_carried(now_, original_);
  }

  // The choices themselves mean the same where only lines have moved. It costs one execution.
  bool follow_choices() {
    step("following the old execution");
    run::SingleOptions single;
    single.index = original_.execution;
    single.replay = original_.choices;
    single.allowed_exits = options_.allowed_exits;
    RunSpec spec = carried_.spec;
    spec.replay = ReplayKind::kGuided;
    auto run = run::run_single(now_, spec, single);
    ++result_.executions;
    if (!run || !put_same_first(run->trace, original_)) return false;
    run->trace.execution = original_.execution;
    take(std::move(run->trace), FoundBy::kOldExecution);
    return true;
  }

  void look_near() {
    if (follow_choices() || run::time_is_up()) return;
    if (!carried_.minimised && before_ != nullptr) {
      step("making the old execution smaller");
      MinimiseOptions budget;
      if (options_.seconds > 0) budget.seconds = std::min(budget.seconds, share_of(kNearShare / 4));
      if (auto small = minimise(*before_, original_, budget)) {
        const VisiblePlaces visible = carried_.spec.visible;
        carried_ = std::move(*small);
        carried_.spec.visible = visible;
      }
    }
    FixedAnswer& answer = result_.answer;
    answer.departures = carried_.departures.size();
    step("carrying the old execution over to this build");
    auto carried = carry_plan(now_, carried_);
    if (!carried) return note(carried.error());
    answer.departures_there = carried->plan.size();
    result_.executions += carried->candidates.executed();
    if (carried->shows_bug) return take(std::move(carried->last.run.trace), FoundBy::kOldExecution);
    step("looking near the old execution");
    NearbyOptions near;
    near.seed = options_.seed;
    if (options_.executions) near.executions = std::min(near.executions, *options_.executions);
    auto nearby = look_nearby(*carried, carried_, near);
    if (!nearby) return note(nearby.error());
    answer.nearby = nearby->executions;
    result_.executions += nearby->executions;
    if (nearby->trace) take(std::move(*nearby->trace), FoundBy::kNearby);
  }

  run::CampaignOptions campaign_options(const char* strategy, std::uint64_t seed) const {
    run::CampaignOptions options;
    options.spec = campaign_spec(carried_.spec, strategy, seed);
    options.jobs = options_.jobs;
    options.allowed_exits = options_.allowed_exits;
    options.output_directory.clear();
    options.executions = options_.executions;
    if (!options.executions && options_.seconds <= 0) options.executions = kExecutionsWithoutLimit;
    return options;
  }

  // Independent executions, whose number depends on nothing that they show.
  run::CampaignOutcome measure(const run::Target& target, run::CampaignOptions options,
                               report::MeasuredRate& rate) {
    options.max_failures = 0;
    const run::WantedFailure wanted = run::WantedFailure::like(original_);
    options.looks_for = [&](const Trace& trace, const TraceFinding& finding) {
      return wanted.is(trace, finding);
    };
    run::Campaign campaign(target, options);
    campaign.on_progress = options_.on_progress;
    run::CampaignOutcome outcome = campaign.run();
    const report::CampaignReport& report = outcome.report;
    rate.seen.hits = outcome.wanted;
    rate.unfinished = report.unfinished_executions();
    rate.ended_by_other = outcome.ended_by_other;
    rate.seen.executions =
        std::max(report.executions - std::min(report.executions, rate.unfinished + rate.ended_by_other),
                 outcome.wanted);
    rate.seconds = report.seconds;
    return outcome;
  }

  void measure_now() {
    step("random executions of this build");
    run::CampaignOptions options = campaign_options("random", options_.seed);
    options.seconds = share_of(result_.found ? kFoundShare : kNowShare);
    FixedAnswer& answer = result_.answer;
    run::CampaignOutcome outcome = measure(now_, options, answer.now.emplace());
    result_.executions += outcome.report.executions;
    answer.warnings.insert(answer.warnings.end(), outcome.report.warnings.begin(),
                           outcome.report.warnings.end());
    answer.exhausted = outcome.report.exhausted;
    if (run::FoundBug* bug = run::wanted_bug(outcome)) {
      put_first(bug->trace, bug->finding);
      take(std::move(bug->trace), FoundBy::kRandom);
    }
    for (run::FoundBug& bug : outcome.bugs) {
      if (bug.passed_by && bug.trace.findings[bug.finding].severity == Severity::kBug && bug.confirmed)
        result_.others.push_back(std::move(bug));
    }
    std::ranges::stable_sort(result_.others, std::ranges::greater(), &run::FoundBug::count);
    if (answer.now->seen.executions == 0) {
      answer.now.reset();
      if (outcome.error) {
        result_.error = *outcome.error;
      } else {
        result_.error = Error{"Every execution ended with another bug, before this one could show.",
                              ExitCode::kInconclusive};
      }
    } else if (outcome.error && outcome.error->code != ExitCode::kInconclusive) {
      result_.error = *outcome.error;
    } else {
      // Something showed, and not again when its execution was repeated.
      unconfirmed_ = answer.now->seen.hits != 0 ? !result_.found : outcome.unconfirmed != 0;
    }
  }

  void measure_before() {
    FixedAnswer& answer = result_.answer;
    if (answer.is_same_build) return;
    if (before_ == nullptr) return;  // the caller knows why
    step("random executions of the old build");
    run::CampaignOptions options = campaign_options("random", mix(options_.seed, 1));
    options.spec.visible = original_.spec.visible;
    options.seconds = share_of(result_.found ? kFoundShare : kBeforeShare);
    options.executions = std::min(options.executions.value_or(kMostBefore), kMostBefore);
    report::MeasuredRate rate;
    const run::CampaignOutcome outcome = measure(*before_, options, rate);
    if (rate.seen.executions != 0) {
      answer.before = rate;
    } else {
      answer.why_no_before =
          outcome.error ? outcome.error->message : "No execution of the old program ended.";
    }
  }

  void search() {
    step("searching by all strategies");
    run::CampaignOptions options = campaign_options("auto", mix(options_.seed, 2));
    options.seconds = options_.seconds > 0 ? std::max(run::seconds_left(), 0.01) : 0;
    run::Hunt hunt(now_, options, run::WantedFailure::like(original_));
    hunt.prepare = [&](run::Campaign& campaign) { campaign.on_progress = options_.on_progress; };
    run::CampaignOutcome outcome = hunt.run();
    result_.answer.searched = hunt.executions();
    result_.executions += hunt.executions();
    result_.answer.exhausted = outcome.report.exhausted && hunt.has_ended() && !outcome.error;
    if (run::FoundBug* bug = run::wanted_bug(outcome)) {
      put_first(bug->trace, bug->finding);
      take(std::move(bug->trace), FoundBy::kSearch);
    }
    if (outcome.error && outcome.error->code == ExitCode::kOwnError) result_.error = outcome.error;
  }

  // Not even that fewer than one of twenty executions show it. Whoever asks for so few gets what they say.
  bool is_too_little(const report::MeasuredRate& rate) const {
    constexpr double kMost = 0.05;
    const bool is_all = options_.executions &&
                        rate.seen.executions + rate.ended_by_other + rate.unfinished >= *options_.executions;
    return !result_.answer.exhausted && !is_all && rate.seen.high() > kMost;
  }

  StillThere finish() {
    FixedAnswer& answer = result_.answer;
    answer.complete = !run::was_interrupted() && !result_.error;
    if (result_.found) {
      answer.verdict = FixedAnswer::Verdict::kStillThere;
      result_.error.reset();
    } else {
      if (!result_.error && run::was_interrupted())
        result_.error = Error{"It was interrupted before the bug was found, and before its budget was spent.",
                              ExitCode::kInconclusive};
      if (!result_.error && unconfirmed_)
        result_.error = Error{
            "A finding did not show when its execution was run again: the program depends on "
            "something outside heddle's control. `heddle run --verify-determinism` shows where.",
            ExitCode::kInconclusive};
      if (!result_.error && answer.now && is_too_little(*answer.now))
        result_.error =
            Error{fmt::format("The time was too short: {} random executions ended. Give more (--time).",
                              answer.now->seen.executions),
                  ExitCode::kInconclusive};
      if (!result_.error && !answer.now)
        result_.error =
            Error{"The time was up before any execution of this program ended. Give more (--time).",
                  ExitCode::kInconclusive};
      if (result_.error) answer.inconclusive = result_.error->message;
      answer.verdict = result_.error ? FixedAnswer::Verdict::kUnknown : FixedAnswer::Verdict::kGone;
    }
    return std::move(result_);
  }

  const run::Target& now_;
  const run::Target* before_;
  const Trace& original_;
  const StillThereOptions& options_;
  Trace carried_;  // the original with what belongs to the new program
  StillThere result_;
  bool unconfirmed_ = false;
};

}  // namespace

StillThere look_whether_still_there(const run::Target& now, const run::Target* before, const Trace& original,
                                    const StillThereOptions& options) {
  return Looker(now, before, original, options).look();
}

}  // namespace heddle::replay
