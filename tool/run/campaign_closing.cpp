// What is said of a campaign when it is over.
#include <sstream>

#include "core/trace/portfolio.h"
#include "tool/run/campaign.h"

namespace heddle::run {

// A name of --trust-library that matches nothing is a mistake that nothing else would show.
void Campaign::note_unknown_libraries() {
  std::uint32_t matched = 0;
  for (const Process& worker : workers_) matched |= worker.header().trusted_matched;
  std::istringstream names(options_.spec.trusted_libraries);
  std::string name;
  for (std::uint32_t i = 0; std::getline(names, name); ++i) {
    if ((matched >> i & 1) != 0 || outcome_.report.executions == 0) continue;
    outcome_.report.warnings.push_back("--trust-library " + name +
                                       ": the program has loaded no library of this name that was built "
                                       "without heddle.");
  }
}

// What exhaustive search has to say at its end.
void Campaign::take_search_progress() {
  report::CampaignReport& report = outcome_.report;
  const SearchProgress& search = state_->learning().search();
  const std::uint64_t complete = search.complete.load();
  const double covered = static_cast<double>(search.covered.load()) * 0x1p-63;
  if (report.exhausted) {
    stopped_because_ = "every execution was explored";
  } else if (search.exhausted.load() != 0 && search.bound_hit.load() != 0 && stopped_because_.empty()) {
    stopped_because_ = "every execution within the bounds of " + std::string(options_.spec.strategy) +
                       " was explored; there are others beyond";
  } else if (complete != 0 && covered > 0 &&
             std::string_view(options_.spec.strategy).starts_with("exhaustive")) {
    report.estimated_executions = static_cast<double>(complete) / covered;
  }
}

void Campaign::report_strategies(report::CampaignReport& report) const {
  if (members_.empty()) {
    report.strategies = {{options_.spec.strategy, report.executions, report.buggy_executions}};
    return;
  }
  for (const auto& [member, share] : members_) {
    const char* name = member < kPortfolioSize ? kPortfolio[member] : "?";
    report.strategies.push_back({name, share.executions, share.buggy_executions});
  }
}

// What does not depend on how it ends.
void Campaign::describe(report::CampaignReport& report, double seconds) const {
  report.seconds = seconds;
  report.workers = options_.jobs;
  report.seed = options_.spec.seed;
  report.program = target_.argv;
  report.program_path = target_.path;
  report.build_id = target_.build_id;
  report_strategies(report);
  report.distinct_executions = behaviours_.size();
  report.executions_seen_once = behaviours_.seen(1);
  report.executions_seen_twice = behaviours_.seen(2);
  if (state_ != nullptr) report.read_pairs = state_->learning().pairs().count();
  for (const FoundBug& bug : outcome_.bugs) {
    report.findings.push_back(
        {&bug.trace, bug.finding, bug.count, bug.first_execution, bug.artifact, bug.known});
  }
  for (const Suppressions::Entry& entry : options_.suppressions.entries()) {
    if (entry.hits != 0) report.suppressed.push_back({entry.text, entry.hits, entry.built_in});
  }
}

report::CampaignReport Campaign::report_so_far() const {
  report::CampaignReport report = outcome_.report;
  describe(report, elapsed());
  report.complete = false;
  report.stopped_because = "it is under way, or was killed";
  return report;
}

void Campaign::finish_report(double seconds) {
  report::CampaignReport& report = outcome_.report;
  report.exhausted = state_ != nullptr && state_->exhausted.load() != 0 && stopped_because_.empty();
  if (state_ != nullptr) take_search_progress();
  report.stopped_because = stopped_because_.empty() ? "the executions asked for were run" : stopped_because_;
  describe(report, seconds);
  const auto& endings = report.endings;
  const std::uint64_t inconclusive = endings[static_cast<std::size_t>(Ending::kTimedOut)];
  if (!outcome_.error && outcome_.bugs.empty() && report.executions != 0 &&
      inconclusive == report.executions) {
    outcome_.error = Error{
        "Every execution ran out of time. Give them more (--timeout), or look for a loop that waits "
        "for something outside the program.",
        ExitCode::kInconclusive};
  }
  if (!outcome_.error && report.executions == 0) {
    outcome_.error = Error{"No execution was completed in the time given.", ExitCode::kInconclusive};
  }
}

}  // namespace heddle::run
