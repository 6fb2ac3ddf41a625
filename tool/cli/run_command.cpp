// heddle run: a campaign, told to the user as it goes.
#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "tool/cli/commands.h"
#include "tool/cli/look_for.h"
#include "tool/cli/preamble.h"
#include "tool/cli/progress_line.h"
#include "tool/cli/race_follow_up.h"
#include "tool/cli/run_options.h"
#include "tool/replay/determinism.h"
#include "tool/replay/minimize.h"
#include "tool/replay/shared_accesses.h"
#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/report/summary.h"
#include "tool/report/text.h"
#include "tool/run/hunt.h"
#include "tool/run/interruption.h"
#include "tool/run/time_limit.h"
#include "tool/run/visible_named.h"

namespace heddle::cli {
namespace {

std::string describe(const run::FoundBug& bug, const RunOptions& options, report::Detail detail) {
  if (!bug.known.empty()) return {};  // the summary has it
  report::TextOptions text;
  text.artifact = bug.artifact;
  text.strip_path_prefix = options.strip_path_prefix;
  text.color = use_color(options.color) && options.log_path.empty();
  text.detail = detail;
  text.leads_to = report::leads_to_lines(bug.follow_up);
  text.width = report_width();
  std::string result = report::text_report(bug.trace, bug.trace.findings[bug.finding], text) + "\n";
  if (!bug.why_not_kept.empty())
    result += fmt::format(
        "  This execution could not be kept: {} `-o DIR --seed {}` finds it again and keeps it in DIR.\n",
        report::escaped(bug.why_not_kept), options.campaign.spec.seed);
  if (!bug.confirmed) result += "  This execution did not repeat exactly; see the warning in the summary.\n";
  return result;
}

// One bug is told in full. Of several each has a line first, those that a user mends first before the others, and
// then its first block.
std::string describe_all(const std::deque<run::FoundBug>& bugs, const RunOptions& options) {
  constexpr std::size_t kMostBlocks = 20;
  std::vector<const run::FoundBug*> shown;
  for (const run::FoundBug& bug : bugs) {
    if (bug.known.empty() && !bug.passed_by) shown.push_back(&bug);
  }
  // A race is as urgent as the worst that it leads to.
  const auto urgency = [](const run::FoundBug* bug) {
    const int own = report::urgency_of(bug->trace.findings[bug->finding].kind);
    const int worst =
        bug->follow_up.found.empty() ? own : report::urgency_of(bug->follow_up.found.front().kind);
    return std::pair(std::min(own, worst), own);
  };
  std::ranges::stable_sort(shown, {}, urgency);
  const auto is_bug = [&](const run::FoundBug* bug) {
    return bug->trace.findings[bug->finding].severity == Severity::kBug;
  };
  const bool several = std::ranges::count_if(shown, is_bug) > 1;
  // Beside a bug the summary's line is enough for a warning.
  if (std::ranges::any_of(shown, is_bug) && !options.verbose)
    std::erase_if(shown, [&](const run::FoundBug* bug) { return !is_bug(bug); });
  std::string text;
  if (several) {
    std::size_t number = 0;
    for (const run::FoundBug* bug : shown) {
      const Trace& trace = bug->trace;
      text += fmt::format("heddle: {}. {}\n", ++number,
                          report::finding_summary(trace, trace.findings[bug->finding],
                                                  report::PathStyle(trace, options.strip_path_prefix)));
    }
    text += "\n";
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i == kMostBlocks) {
      text += fmt::format("heddle: {} more are kept, but not shown here; -v shows them\n", shown.size() - i);
      if (!options.verbose) break;
    }
    const bool brief = options.quiet || ((several || !is_bug(shown[i])) && !options.verbose);
    text += describe(*shown[i], options,
                     brief             ? report::Detail::kFirstBlock
                     : options.verbose ? report::Detail::kAll
                                       : report::Detail::kDefault);
  }
  return text;
}

// How long minimising may take, for one bug and for all bugs of a campaign.
constexpr double kMinimiseSeconds = 2;
constexpr double kMinimiseAllSeconds = 10;
constexpr std::uint64_t kMinimiseSearched = 5000;

void minimise(const run::Target& target, run::FoundBug& bug, const RunOptions& options, double& budget) {
  // Where the time is up, what was found last is made a little smaller all the same.
  constexpr double kAfterwards = 1;
  budget = std::min(budget, run::seconds_left() + kAfterwards);
  if (budget <= 0 || run::was_interrupted()) return;
  if (bug.trace.result.threads == 1) return;  // there is nothing to take away: no other thread ran
  replay::MinimiseOptions limits;
  limits.seconds = std::min(kMinimiseSeconds, budget);
  limits.most_searched = kMinimiseSearched;
  limits.allowed_exits = options.campaign.allowed_exits;
  limits.kept_events = options.campaign.kept_events;
  auto small = replay::minimise(target, bug.trace, limits);
  if (small) {
    budget -= static_cast<double>(small->minimised->milliseconds) / 1000;
    bug.trace = std::move(*small);
  } else {
    if (options.verbose) warn("The execution was not minimised. " + small.error().message);
    replay::add_shared_accesses(target, bug.trace, limits.seconds);
  }
}

class Log {
 public:
  explicit Log(const std::string& path) : file_(path.empty() ? stderr : std::fopen(path.c_str(), "w")) {}
  ~Log() {
    if (file_ != nullptr && file_ != stderr) std::fclose(file_);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  bool usable() const { return file_ != nullptr; }
  std::function<void(const std::string&)> writer() {
    return [this](const std::string& text) { write(text); };
  }
  void write(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fflush(file_);
  }

 private:
  std::FILE* file_;
};

int exit_code_of(const run::CampaignOutcome& outcome, const RunOptions& options) {
  bool bug = false;
  for (const run::FoundBug& found : outcome.bugs) {
    const Severity severity = found.trace.findings[found.finding].severity;
    bug = bug || ((severity == Severity::kBug || options.campaign.warnings_as_bugs) && found.confirmed &&
                  found.known.empty() && !found.passed_by);
  }
  if (bug) return options.bug_exit_code;
  if (outcome.error) return complain(*outcome.error);
  return static_cast<int>(outcome.unconfirmed != 0 ? ExitCode::kInconclusive : ExitCode::kNoBug);
}

int verify(const run::Target& target, const RunOptions& options) {
  auto verdict =
      replay::verify_determinism(target, options.campaign.spec, options.campaign.executions.value_or(20));
  if (!verdict) return complain(verdict.error());
  report::CampaignReport report;
  report.tool_version = HEDDLE_VERSION;
  report.seed = options.campaign.spec.seed;
  report.program = target.argv;
  report.program_path = target.path;
  report.options = options.given;
  report.executions = verdict->executions;
  if (!verdict->divergence.empty()) report.warnings.push_back(verdict->divergence);
  const Status written = write_reports(report, options.reports);
  if (!verdict->divergence.empty()) {
    return after_output(complain({"Not deterministic. " + verdict->divergence,
                                  verdict->is_own ? ExitCode::kOwnError : ExitCode::kInconclusive}),
                        written);
  }
  fmt::print(stderr, "heddle: deterministic: {} executions ran three times, event for event the same\n",
             verdict->executions);
  return after_output(0, written);
}

}  // namespace

int explore(const RunOptions& options, run::CampaignOutcome& outcome, const AfterRun& after) {
  auto program = find_given_program(options.program);
  if (!program) return complain(program.error());
  run::Target& target = program->target;
  target.kept_variables.insert(options.keep_variables.begin(), options.keep_variables.end());
  Log log(options.log_path);
  if (!log.usable()) return complain({"Cannot write " + options.log_path + "."});
  if (options.verify_determinism) return verify(target, options);
  if (!options.quiet && !options.is_part) fmt::print(stderr, "heddle: seed {}\n", options.campaign.spec.seed);

  begin_work(options.campaign.seconds);
  run::CampaignOptions how = options.campaign;
  if (!options.visible.empty()) {
    auto places = run::visible_places_named(target, how.spec, options.visible);
    if (!places) return complain(places.error());
    how.spec.visible = *places;
  }
  std::optional<run::WantedFailure> wanted;
  if (!options.look_for.empty()) {
    auto failure = read_wanted_failure(options.look_for);
    if (!failure) return complain(failure.error());
    wanted = std::move(*failure);
  }
  ProgressLine progress(!options.no_progress && !options.quiet && stderr_is_terminal());
  const auto on_progress = [&](const report::Progress& p) { progress.show(p); };
  // While it goes on a line for each; all of them together when it is over and they are small.
  const auto on_bug = [&](const run::FoundBug& bug) {
    if (options.quiet || options.is_part || !bug.known.empty() || !bug.reported || bug.passed_by) return;
    progress.clear();
    const TraceFinding& finding = bug.trace.findings[bug.finding];
    log.write(fmt::format("heddle: found in execution {}: {}\n", report::grouped(bug.first_execution),
                          report::finding_summary(bug.trace, finding, report::PathStyle(bug.trace))));
  };
  double budget = kMinimiseAllSeconds;
  std::function<void(run::FoundBug&)> make_small;
  if (options.minimise) make_small = [&](run::FoundBug& bug) { minimise(target, bug, options, budget); };
  const auto complete = [&](report::CampaignReport& report) {
    report.tool_version = HEDDLE_VERSION;
    report.options = options.given;
    report.histogram = options.histogram;
  };
  CampaignFile kept(options.campaign.output_directory);
  const auto prepare = [&](run::Campaign& campaign) {
    campaign.on_progress = on_progress;
    campaign.on_bug = on_bug;
    campaign.minimise = make_small;
    campaign.keep = [&](report::CampaignReport so_far) {
      complete(so_far);
      [[maybe_unused]] const Status written = kept.keep(so_far);  // tried again, and told, at the end
    };
  };
  if (wanted) {
    run::Hunt hunt(target, how, std::move(*wanted));
    hunt.prepare = prepare;
    outcome = hunt.run();
  } else {
    run::Campaign campaign(target, how);
    prepare(campaign);
    outcome = campaign.run();
    follow_races(target, options, how, outcome, {on_progress, make_small});
  }
  progress.clear();
  complete(outcome.report);
  log.write(describe_all(outcome.bugs, options));
  const bool began = !outcome.error || outcome.report.executions != 0 || run::was_interrupted();
  if (!options.quiet && !options.is_part && began)
    log.write(report::summary_text(outcome.report, {use_color(options.color), 40, options.verbose}));
  // These were said before the first execution.
  outcome.report.warnings.insert(outcome.report.warnings.begin(), program->notes.begin(),
                                 program->notes.end());
  const Status kept_whole = kept.keep(outcome.report);
  const Status written = write_reports(outcome.report, options.reports);
  if (after) after(target, outcome, log.writer());
  return after_output(after_output(exit_code_of(outcome, options), kept_whole), written);
}

int run_command(const Arguments& arguments) {
  RunOptions options;
  if (const auto code = parse_run_options(arguments, options)) return *code;
  run::CampaignOutcome outcome;
  return explore(options, outcome);
}

}  // namespace heddle::cli
