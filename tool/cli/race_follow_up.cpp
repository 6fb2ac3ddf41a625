#include "tool/cli/race_follow_up.h"

#include <algorithm>
#include <map>

#include "tool/findings/fingerprint.h"
#include "tool/report/places.h"
#include "tool/run/interruption.h"
#include "tool/run/race_consequences.h"
#include "tool/run/time_limit.h"
#include "tool/run/visible_race.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostRaces = 8;         // of a campaign that goes on past bugs
constexpr std::size_t kMostConsequences = 8;  // of a race, with artifacts

const TraceFinding& finding_of(const run::FoundBug& bug) { return bug.trace.findings[bug.finding]; }

class RaceFollower {
 public:
  RaceFollower(const run::Target& target, const run::CampaignOptions& how, std::uint64_t most,
               run::CampaignOutcome& outcome, const FollowUpHooks& hooks)
      : target_(target), how_(how), most_(most), outcome_(outcome), hooks_(hooks) {}

  void follow(run::FoundBug& race) {
    VisiblePlaces places = how_.spec.visible;
    run::add_race(finding_of(race), places);
    if (!places.any() || is_over()) return;
    run::RaceConsequences found = search(places, race.trace.result.steps);
    if (found.executions == 0) return;
    race.follow_up.executions = found.executions;
    race.follow_up.complete = found.complete;
    race.follow_up.timed_out = found.timed_out;
    std::ranges::stable_sort(
        found.bugs, {}, [](const run::FoundBug& bug) { return report::urgency_of(finding_of(bug).kind); });
    bool tells_more = false;
    for (run::FoundBug& bug : found.bugs) {
      if (race.follow_up.found.size() == kMostConsequences) break;
      const bool is_new = keep(bug, race.follow_up.found.empty());
      race.follow_up.found.push_back(
          {finding_of(bug).kind,
           report::finding_summary(bug.trace, finding_of(bug), report::PathStyle(bug.trace)), bug.count,
           bug.artifact});
      // A check that failed is what a user asked for. Whether it is the race's doing cannot be told from outside:
      // the race may be in another test of the program.
      if (is_new && bug.known.empty() && finding_of(bug).kind == FindingKind::kTestFailure) {
        tell(std::move(bug));
        tells_more = true;
      }
    }
    if (tells_more) count(found);
  }

  // Races that are suppressed are no bugs; what they lead to is one.
  void follow_suppressed() {
    VisiblePlaces places = how_.spec.visible;
    for (const VisiblePlace& place : outcome_.suppressed_races.all_places()) places.add(place);
    if (!outcome_.suppressed_races.any() || is_over()) return;
    run::RaceConsequences found =
        search(places, outcome_.bugs.empty() ? 1 : outcome_.bugs[0].trace.result.steps);
    if (found.bugs.empty()) return;
    count(found);
    for (run::FoundBug& bug : found.bugs) {
      keep(bug, true);
      tell(std::move(bug));
    }
    outcome_.report.stopped_because = "a suppressed race led to a bug";
    outcome_.report.inconclusive.clear();
    outcome_.error.reset();
  }

 private:
  static bool is_over() { return run::was_interrupted() || run::time_is_up(); }

  run::RaceConsequences search(const VisiblePlaces& places, std::uint64_t steps) {
    std::uint64_t executions = std::min(run::executions_for_consequences(steps), most_);
    if (how_.executions) executions = std::min(executions, *how_.executions);
    run::ConsequenceSearch search(target_, how_, executions);
    search.on_progress = hooks_.on_progress;
    return search.search(places);
  }

  // The executions count as those of the campaign, since bugs of theirs are told as the campaign's.
  void count(const run::RaceConsequences& found) {
    report::CampaignReport& report = outcome_.report;
    report.executions += found.executions;
    report.buggy_executions += found.buggy_executions;
    for (std::size_t i = 0; i < report::kEndings; ++i) report.endings[i] += found.endings[i];
  }

  void tell(run::FoundBug bug) {
    outcome_.bugs.push_back(std::move(bug));
    const run::FoundBug& added = outcome_.bugs.back();
    outcome_.report.findings.push_back(
        {&added.trace, added.finding, added.count, added.first_execution, added.artifact, {}});
  }

  // What several races lead to is kept once, and what the campaign has found itself is kept already. False: it was
  // kept before.
  bool keep(run::FoundBug& bug, bool makes_small) {
    const std::string print = fingerprint(bug.trace, finding_of(bug));
    const auto [kept, is_new] = kept_.try_emplace(print);
    for (const run::FoundBug& other : outcome_.bugs) {
      if (is_new && fingerprint(other.trace, finding_of(other)) == print) kept->second = other.artifact;
    }
    if (!kept->second.empty()) {
      bug.artifact = kept->second;
      return false;
    }
    if (!how_.output_directory.empty()) bug.keep(how_.output_directory, bug.trace);
    if (!bug.why_not_kept.empty()) outcome_.report.warnings.push_back(bug.why_not_kept);
    kept->second = bug.artifact;
    if (!makes_small || !hooks_.minimise || !bug.was_tried()) return true;
    hooks_.minimise(bug);
    if (auto written = bug.keep_smaller(bug.trace); !written)
      outcome_.report.warnings.push_back(written.error().message);
    return true;
  }

  const run::Target& target_;
  const run::CampaignOptions& how_;
  std::uint64_t most_;
  run::CampaignOutcome& outcome_;
  const FollowUpHooks& hooks_;
  std::map<std::string, std::string> kept_;  // artifacts by fingerprint
};

}  // namespace

void follow_races(const run::Target& target, const RunOptions& options, const run::CampaignOptions& how,
                  run::CampaignOutcome& outcome, const FollowUpHooks& hooks) {
  if (options.consequences == 0) return;
  RaceFollower follower(target, how, options.consequences, outcome, hooks);
  std::size_t followed = 0;
  for (std::size_t i = 0; i < outcome.bugs.size() && followed < kMostRaces; ++i) {
    run::FoundBug& bug = outcome.bugs[i];
    if (finding_of(bug).kind != FindingKind::kDataRace || !bug.confirmed || bug.passed_by) continue;
    follower.follow(bug);
    ++followed;
    for (report::CampaignFinding& found : outcome.report.findings) {
      if (found.trace == &bug.trace) found.follow_up = bug.follow_up;
    }
  }
  const bool has_bug = std::ranges::any_of(outcome.bugs, [](const run::FoundBug& bug) {
    return finding_of(bug).severity == Severity::kBug && bug.known.empty() && bug.confirmed;
  });
  if (!has_bug) follower.follow_suppressed();
}

}  // namespace heddle::cli
