// heddle test: a campaign for each test case of a GoogleTest program.
#include <fmt/core.h>

#include <cctype>
#include <deque>

#include "tool/cli/commands.h"
#include "tool/cli/gtest_cases.h"
#include "tool/cli/run_options.h"
#include "tool/findings/findings_folder.h"
#include "tool/report/escape.h"
#include "tool/report/junit.h"
#include "tool/report/places.h"
#include "tool/report/shell_word.h"
#include "tool/report/summary.h"
#include "tool/report/text.h"
#include "tool/run/interruption.h"

namespace heddle::cli {
namespace {

const RunCommand kTestCommand = {
    "test", "heddle test [options] [--] PROGRAM [ARGS…]",
    "Asks a GoogleTest program for its test cases and explores each in a campaign of its own, as `heddle "
    "run` does\n"
    "with a program. Build it with `heddle c++` (or link it with heddle::heddle) first.\n"
    "\n"
    "All options are those of `heddle run`, and hold for each case. --gtest_filter and GoogleTest's other "
    "arguments are\n"
    "understood among ARGS. GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX divide the cases between machines. "
    "Artifacts\n"
    "of a case go to a folder of its own below DIR.",
    "examples:\n"
    "  heddle test ./unit_tests                                each case for 10 seconds, or until a bug\n"
    "  heddle test -n 1000 --junit out.xml -- ./unit_tests     1,000 executions of each, results for CI\n"
    "  heddle test -t 1m -- ./unit_tests --gtest_filter='Queue.*'\n"
    "\n"
    "exit codes: 0 no bug in any case, 66 a bug was found, 1 a case could not be explored, 2 bad command "
    "line or\n"
    "program, 3 an error of heddle's own",
    10};

struct Tested {
  GtestCase test;
  run::CampaignOutcome outcome;
  int code = 0;

  bool has_bug(const RunOptions& options) const { return code == options.bug_exit_code && code != 0; }
};

std::string folder_name(const GtestCase& test) {
  std::string name = test.filter();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-' && c != '_') c = '_';
  }
  return name;
}

void add_share(std::vector<report::StrategyShare>& shares, const report::StrategyShare& more) {
  for (report::StrategyShare& share : shares) {
    if (share.name != more.name) continue;
    share.executions += more.executions;
    share.buggy_executions += more.buggy_executions;
    return;
  }
  shares.push_back(more);
}

// A bug is still there if a case has it.
void add_known(report::CampaignReport& sum, const report::CampaignReport& one) {
  sum.has_known = sum.has_known || one.has_known;
  if (sum.known.empty()) {
    sum.known = one.known;
    return;
  }
  for (std::size_t i = 0; i < std::min(sum.known.size(), one.known.size()); ++i)
    sum.known[i].count += one.known[i].count;
}

// The campaigns of all cases as one, for the reports that list findings.
report::CampaignReport merged(const std::deque<Tested>& all, const RunOptions& options) {
  report::CampaignReport sum;
  sum.tool_version = HEDDLE_VERSION;
  sum.seed = options.campaign.spec.seed;
  sum.program = options.program;
  sum.options = options.given;
  sum.workers = options.campaign.jobs;
  sum.search_ended = sum.exhausted = !all.empty() && !run::was_interrupted();
  sum.complete = !run::was_interrupted();
  for (const Tested& tested : all) {
    const report::CampaignReport& one = tested.outcome.report;
    if (sum.program_path.empty()) {
      sum.program_path = one.program_path;
      sum.build_id = one.build_id;
    }
    sum.executions += one.executions;
    sum.buggy_executions += one.buggy_executions;
    sum.redundant_executions += one.redundant_executions;
    sum.pruned_executions += one.pruned_executions;
    sum.seconds += one.seconds;
    sum.distinct_executions += one.distinct_executions;
    sum.executions_seen_once += one.executions_seen_once;
    sum.executions_seen_twice += one.executions_seen_twice;
    for (const report::StrategyShare& share : one.strategies) add_share(sum.strategies, share);
    for (const std::string& reason : one.not_explored)
      sum.not_explored.push_back(tested.test.filter() + ": " + reason);
    sum.search_ended = sum.search_ended && one.search_ended;
    sum.exhausted = sum.exhausted && one.exhausted;
    sum.buffers_loads = sum.buffers_loads || one.buffers_loads;
    sum.complete = sum.complete && one.complete;
    if (sum.inconclusive.empty() && !one.inconclusive.empty())
      sum.inconclusive = tested.test.filter() + ": " + one.inconclusive;
    for (std::size_t i = 0; i < report::kEndings; ++i) sum.endings[i] += one.endings[i];
    sum.findings.insert(sum.findings.end(), one.findings.begin(), one.findings.end());
    add_known(sum, one);
    sum.suppressed.insert(sum.suppressed.end(), one.suppressed.begin(), one.suppressed.end());
    for (const std::string& warning : one.warnings)
      sum.warnings.push_back(tested.test.filter() + ": " + warning);
  }
  sum.stopped_because = run::was_interrupted() ? "it was interrupted" : "all cases were explored";
  return sum;
}

const char* verdict(const Tested& tested, const RunOptions& options) {
  if (tested.has_bug(options)) return "BUG";
  return tested.code == 0 ? "ok" : "unclear";
}

void print_table(const std::deque<Tested>& all, const RunOptions& options) {
  std::size_t width = 4, bugs = 0;
  for (const Tested& tested : all)
    width = std::max(width, report::width_of(report::escaped(tested.test.filter())));
  width = std::min<std::size_t>(width, 60);
  fmt::print(stderr, "\n  {} {:>12} {:>10}  {}\n", report::padded("case", width), "executions", "time",
             "verdict");
  for (const Tested& tested : all) {
    const report::CampaignReport& one = tested.outcome.report;
    fmt::print(stderr, "  {} {:>12} {:>10}  {}\n",
               report::padded(report::clipped(report::escaped(tested.test.filter()), width), width),
               report::grouped(one.executions), report::duration_text(one.seconds), verdict(tested, options));
    bugs += tested.has_bug(options) ? 1 : 0;
    for (const report::CampaignFinding& found : one.findings) {
      fmt::print(stderr, "      {}\n",
                 report::finding_summary(*found.trace, found.get(), report::PathStyle(*found.trace)));
      if (!found.artifact.empty())
        fmt::print(stderr, "      heddle replay {}\n", report::path_word(found.artifact));
    }
  }
  fmt::print(stderr, "heddle: {} of {} cases with a bug\n", bugs, all.size());
}

std::string junit_of(const std::deque<Tested>& all, const RunOptions& options) {
  std::vector<report::JunitCase> cases;
  for (const Tested& tested : all) {
    const bool unclear = tested.code != 0 && !tested.has_bug(options);
    const std::string error = !unclear               ? ""
                              : tested.outcome.error ? tested.outcome.error->message
                                                     : "a finding did not repeat";
    cases.push_back({tested.test.suite, tested.test.name, &tested.outcome.report, error});
  }
  return report::junit_report(cases);
}

// The worst of all: a bug, then an error of ours, then what could not be explored.
int exit_code(const std::deque<Tested>& all, const RunOptions& options) {
  int code = 0;
  for (const Tested& tested : all) {
    if (tested.has_bug(options)) return tested.code;
    code = std::max(code, tested.code);
  }
  // Cases that were not come to say nothing.
  return run::was_interrupted() ? std::max(code, static_cast<int>(ExitCode::kInconclusive)) : code;
}

}  // namespace

int test_command(const Arguments& arguments) {
  RunOptions options;
  if (const auto code = parse_run_options(arguments, options, kTestCommand)) return *code;
  if (options.verify_determinism) return complain({"--verify-determinism is for `heddle run`."});
  const auto shard = take_shard();
  if (!shard) return complain(shard.error());
  const auto listed = list_gtest_cases(options.program);
  if (!listed) return complain(listed.error());
  const std::vector<GtestCase> cases = shard->part_of(*listed);

  std::deque<Tested> all;  // reports point into it
  for (const GtestCase& test : cases) {
    if (run::was_interrupted()) break;
    RunOptions one = options;
    one.reports = {};
    one.is_part = !options.verbose;
    one.program.push_back("--gtest_filter=" + test.filter());
    if (!one.campaign.output_directory.empty())
      one.campaign.output_directory = path_in(one.campaign.output_directory, folder_name(test));
    if (!options.quiet)
      fmt::print(stderr, "\nheddle: [{}/{}] {}\n", all.size() + 1, cases.size(),
                 report::escaped(test.filter()));
    Tested& tested = all.emplace_back();
    tested.test = test;
    tested.code = explore(one, tested.outcome);
  }
  print_table(all, options);
  const report::CampaignReport whole = merged(all, options);
  fmt::print(stderr, "{}", report::known_text(whole));
  for (Tested& tested : all) tested.outcome.report.known.clear();  // what one case has not seen is not gone
  ReportFiles files = options.reports;
  files.junit.clear();  // with a test case for each case, and not for the whole
  int code = after_output(exit_code(all, options), write_reports(whole, files));
  if (!options.reports.junit.empty())
    code = after_output(code, write_text_file(options.reports.junit, junit_of(all, options)));
  return code;
}

}  // namespace heddle::cli
