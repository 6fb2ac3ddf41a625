#include "tool/run/race_consequences.h"

#include <algorithm>

#include "core/base/random.h"
#include "tool/findings/fingerprint.h"
#include "tool/run/interruption.h"
#include "tool/run/time_limit.h"
#include "tool/run/visible_race.h"

namespace heddle::run {
namespace {

constexpr std::uint64_t kLongestExecution = 1'000'000'000;  // nanoseconds
constexpr std::uint64_t kMostTimedOut = 3;

// Adds to what earlier rounds found. `before`: their executions.
void add_bug(std::deque<FoundBug>& bugs, FoundBug bug, std::uint64_t before) {
  const std::string print = fingerprint(bug.trace, bug.trace.findings[bug.finding]);
  for (FoundBug& known : bugs) {
    if (fingerprint(known.trace, known.trace.findings[known.finding]) != print) continue;
    known.count += bug.count;
    return;
  }
  bug.first_execution += before;
  bugs.push_back(std::move(bug));
}

}  // namespace

std::uint64_t executions_for_consequences(std::uint64_t steps) {
  constexpr std::uint64_t kOperations = 4'000'000, kFewest = 100, kMost = 1000;
  return std::clamp(kOperations / std::max<std::uint64_t>(steps, 1), kFewest, kMost);
}

RaceConsequences ConsequenceSearch::search(const VisiblePlaces& from) {
  RaceConsequences found;
  CampaignOptions options = options_;
  options.spec.visible = from;
  options.spec.visible.silence = VisiblePlaces::kVisibleOnes;
  options.max_failures = 0;       // how often counts
  options.output_directory = {};  // who asks keeps what is worth it
  options.warnings_as_bugs = false;
  options.looks_for = {};
  // A race can lead to a loop without a choice in it. A few such executions say as much as many.
  options.spec.timeout_ns = std::min(options.spec.timeout_ns, kLongestExecution);
  options.most_timed_out = kMostTimedOut;
  for (std::uint32_t round = 0; round < kRounds && !time_is_up(); ++round) {
    // The last round has the rest; one that finds no new race has no successor.
    options.executions =
        round + 1 < kRounds ? (executions_ - found.executions + 1) / 2 : executions_ - found.executions;
    if (*options.executions == 0) break;
    // (0 would be no limit.)
    options.seconds = options_.seconds > 0 ? std::max(seconds_left(), 0.01) : 0;
    options.spec.seed = mix(options_.spec.seed, 0x7261636573ull + round);
    Campaign campaign(target_, options);
    campaign.on_progress = on_progress;
    CampaignOutcome outcome = campaign.run();
    if (outcome.error && outcome.report.executions == 0) return found;
    const std::uint64_t before = found.executions;
    found.executions += outcome.report.executions;
    found.timed_out += outcome.report.endings[static_cast<std::size_t>(Ending::kTimedOut)];
    found.buggy_executions += outcome.report.buggy_executions;
    for (std::size_t i = 0; i < report::kEndings; ++i) found.endings[i] += outcome.report.endings[i];
    bool is_new_race = false;
    for (FoundBug& bug : outcome.bugs) {
      const TraceFinding& finding = bug.trace.findings[bug.finding];
      if (finding.kind == FindingKind::kDataRace) {
        is_new_race = add_race(finding, options.spec.visible) || is_new_race;
      } else if (finding.severity == Severity::kBug && bug.confirmed) {
        add_bug(found.bugs, std::move(bug), before);
      }
    }
    for (const VisiblePlace& place : outcome.suppressed_races.all_places())
      is_new_race = options.spec.visible.covers(place.begin, place.end - place.begin)
                        ? is_new_race
                        : options.spec.visible.add(place) || is_new_race;
    const bool was_cut = outcome.report.executions < *options.executions && !outcome.report.search_ended;
    if (was_cut || was_interrupted()) return found;
    if (outcome.report.search_ended && !is_new_race) break;
    if (!is_new_race && round + 1 < kRounds) round = kRounds - 2;  // the rest at once
  }
  found.complete = !time_is_up();
  return found;
}

}  // namespace heddle::run
