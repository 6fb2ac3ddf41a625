// What is said of a campaign when it is over.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "core/trace/portfolio.h"
#include "tool/run/campaign.h"

namespace heddle::run {
namespace {

// "2 cut, 1 ran out of time"
std::string unfinished_text(const report::CampaignReport& report) {
  std::string text;
  for (const auto& [ending, name] : {std::pair{Ending::kCut, "cut"},
                                     {Ending::kTimedOut, "ran out of time"},
                                     {Ending::kSignalled, "killed"},
                                     {Ending::kDiverged, "went another way"},
                                     {Ending::kUnsupported, "met a limit or an unsupported call"},
                                     {Ending::kInternalError, "lost by an error of heddle's"}}) {
    const std::uint64_t count = report.endings[static_cast<std::size_t>(ending)];
    if (count != 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return text;
}

// What to do where no execution came to its end, for each reason that there was.
std::string advice_text(const report::CampaignReport& report) {
  std::string text;
  const auto add = [&](Ending ending, const char* advice) {
    if (report.endings[static_cast<std::size_t>(ending)] != 0) text += std::string(" ") + advice;
  };
  add(Ending::kCut,
      "Those that were cut did not end within the bound of steps: give them more (--max-steps), or let "
      "heddle "
      "run a test that ends.");
  add(Ending::kTimedOut,
      "Those that ran out of time: give them more (--timeout), or let heddle run a test that ends; look for "
      "a "
      "loop that waits for something outside the program.");
  add(Ending::kSignalled,
      "Those that were killed got SIGKILL, twice each, and not by the program's own kill(). Find out who "
      "sent "
      "it: a limit of the container or of the service manager, another user, or system calls past libc.");
  add(Ending::kDiverged,
      "Those that went another way depend on something that heddle does not control: `heddle run "
      "--verify-determinism` names the first difference.");
  add(Ending::kInternalError, "Those that were lost are an error of heddle's own: please report it.");
  return text;
}

}  // namespace

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

namespace {

// A race whose accesses are no choices: what they do when others come between was not seen.
bool is_hidden_race(const FoundBug& bug, const VisiblePlaces& visible) {
  const TraceFinding& finding = bug.trace.findings[bug.finding];
  return finding.kind == FindingKind::kDataRace &&
         std::any_of(finding.parts.begin(), finding.parts.end(), [&](const TracePart& part) {
           return (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess) &&
                  is_plain(part.access) && !visible.has(part.pc, part.address, 1);
         });
}

}  // namespace

// What can matter and lies outside the choices, or was not run to its end. Whoever reads that every execution
// was explored relies on it.
std::vector<std::string> Campaign::not_explored() const {
  std::vector<std::string> reasons;
  const auto had = [&](std::uint32_t flag) { return (seen_flags_ & flag) != 0; };
  if (had(result_flags::kChildProcess))
    reasons.emplace_back(
        "the program starts processes, which run natively: neither their threads nor their speed");
  if (had(result_flags::kOtherProcess))
    reasons.emplace_back("it waits for other processes, or for signals from outside: not when they come");
  if (had(result_flags::kConnected))
    reasons.emplace_back("it connects to an address at which another process may be: not what that one does");
  if (had(result_flags::kChangedOutside) && state_ != nullptr) {
    const SharedOutside& outside = state_->outside;
    reasons.push_back("it changes what other processes and other executions see (" +
                      std::string(outside.what, strnlen(outside.what, sizeof outside.what)) +
                      "): not what they do with it");
  }
  if (had(result_flags::kForeignThread))
    reasons.emplace_back(
        "a thread ran code that was not built by heddle, and no other: not what it does with memory");
  const bool hides_race = std::any_of(outcome_.bugs.begin(), outcome_.bugs.end(), [&](const FoundBug& bug) {
    return is_hidden_race(bug, options_.spec.visible);
  });
  if (hides_race)
    reasons.emplace_back(
        "a data race was found, whose accesses are no choices: not what other threads do before each of them "
        "(--visible makes them choices)");
  const report::CampaignReport& report = outcome_.report;
  if (const std::string unfinished = unfinished_text(report); !unfinished.empty())
    reasons.push_back("executions were not run to their end (" + unfinished +
                      "): not what would have followed");
  if (outcome_.unconfirmed != 0)
    reasons.emplace_back(
        "a finding did not show when its execution was run again: the program is not repeatable");
  if (state_ != nullptr && state_->torn.load() != 0)
    reasons.emplace_back("a process was killed from outside: not executions that may have been lost with it");
  if (report.pruned_executions != 0)
    reasons.emplace_back("old stores were forgotten that a load could still have read (--prune)");
  return reasons;
}

// Where no bug was found: why that says nothing of the program.
std::optional<Error> Campaign::why_inconclusive() const {
  const report::CampaignReport& report = outcome_.report;
  if (report.executions == 0) {
    return Error{interrupted_
                     ? "It was interrupted before an execution came to its end."
                     : "No execution came to its end in the time given. Give more (--time), or a test "
                       "that ends sooner.",
                 ExitCode::kInconclusive};
  }
  if (report.unfinished_executions() == report.executions) {
    const std::string text = "No execution came to its end (" + unfinished_text(report) +
                             "): nothing is known of the program." + advice_text(report);
    return Error{text, ExitCode::kInconclusive};
  }
  if (interrupted_)
    return Error{"It was interrupted before a bug was found, and before its budget was spent.",
                 ExitCode::kInconclusive};
  return std::nullopt;
}

// What the search has to say at its end.
void Campaign::take_search_progress() {
  report::CampaignReport& report = outcome_.report;
  const SearchProgress& search = state_->learning().search();
  const std::uint64_t complete = search.complete.load();
  const double covered = static_cast<double>(search.covered.load()) * 0x1p-63;
  const bool none_left = state_->none_left.load() != 0 && stopped_because_.empty();
  report.search_ended = makes_no_choice_ || (none_left && search.bound_hit.load() == 0);
  report.exhausted = report.not_explored.empty() &&
                     (makes_no_choice_ || (stopped_because_.empty() && state_->exhausted.load() != 0));
  if (makes_no_choice_) return;
  report.buffers_loads = search.buffers_loads.load() != 0;
  if (report.exhausted) {
    stopped_because_ = "every execution was explored";
  } else if (none_left && search.bound_hit.load() != 0) {
    stopped_because_ = "every execution within the bounds of " + std::string(options_.spec.strategy) +
                       " was explored; there are others beyond";
  } else if (none_left) {
    stopped_because_ = "the search came to its end";
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
  report.executions_seen_once = behaviours_.seen_once();
  report.executions_seen_twice = behaviours_.seen(2);
  if (state_ != nullptr) report.read_pairs = state_->learning().pairs().count();
  for (const FoundBug& bug : outcome_.bugs) {
    report.findings.push_back(
        {&bug.trace, bug.finding, bug.count, bug.first_execution, bug.artifact, bug.known});
  }
  report.has_known = options_.has_known;
  for (const KnownBug& known : options_.known) {
    std::uint64_t count = 0;
    for (const FoundBug& bug : outcome_.bugs)
      count += !bug.known.empty() && known.bug.is(bug.trace, bug.trace.findings[bug.finding]) ? bug.count : 0;
    report.known.push_back({known.trace, known.artifact, count});
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
  report.not_explored = not_explored();
  if (state_ != nullptr && !overwritten_) take_search_progress();
  report.stopped_because = stopped_because_.empty() ? "the executions asked for were run" : stopped_because_;
  describe(report, seconds);
  const bool has_bug = std::any_of(outcome_.bugs.begin(), outcome_.bugs.end(), [&](const FoundBug& bug) {
    const bool counts =
        options_.warnings_as_bugs || bug.trace.findings[bug.finding].severity == Severity::kBug;
    return counts && bug.confirmed && bug.known.empty() && !bug.passed_by;
  });
  if (!outcome_.error && !has_bug) outcome_.error = why_inconclusive();
  if (outcome_.error && !has_bug) {
    report.inconclusive = outcome_.error->message;
  } else if (outcome_.unconfirmed != 0 && !has_bug) {
    report.inconclusive = "A finding did not show when its execution was run again.";
  }
  report.complete = !interrupted_ && !outcome_.error;
}

}  // namespace heddle::run
