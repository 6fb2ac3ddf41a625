#include "tool/cli/found_bug.h"

#include <fmt/core.h>

#include <algorithm>

#include "tool/cli/choice_option.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/replay/minimize.h"
#include "tool/report/text.h"

namespace heddle::cli {
namespace {

// The finding that is what was found: a bug, if there is one besides warnings.
std::size_t found_finding(const std::vector<TraceFinding>& findings, bool is_last) {
  std::size_t found = findings.size();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].severity == Severity::kBug && (found == findings.size() || is_last)) found = i;
  }
  return found == findings.size() ? 0 : found;
}

std::string text_of(const FoundBugs::Bug& bug, bool color) {
  report::TextOptions text;
  text.artifact = bug.artifact;
  text.color = color;
  text.width = report_width();
  return report::text_report(bug.trace, bug.trace.findings.front(), text);
}

}  // namespace

void add_found_bug_options(CLI::App& app, FoundBugOptions& o) {
  app.add_option("--allow-exit", o.allowed_exits, "an exit status of the program that is no bug")
      ->type_name("STATUS")
      ->check(exit_status())
      ->take_all();
  app.add_option("-o,--output", o.output, "where the artifact goes [heddle-out]")->type_name("DIR");
  add_color_option(app, o.color);
}

FoundBugs::FoundBugs(const std::string& command, const std::string& folder, const run::Target& target,
                     std::uint64_t seed)
    : began_(std::chrono::steady_clock::now()), folder_(folder), file_(folder) {
  report_.tool_version = HEDDLE_VERSION;
  report_.seed = seed;
  report_.program = target.argv;
  report_.program_path = target.path;
  report_.build_id = target.build_id;
  report_.strategies = {{command, 0, 0}};
  report_.stopped_because = "a bug was found";
}

FoundBugs::Bug& FoundBugs::add(Trace trace, std::uint64_t executions) {
  Bug& bug = bugs_.emplace_back();
  bug.trace = std::move(trace);
  bug.keep(folder_, bug.trace);
  if (!bug.why_not_kept.empty())
    warn("This execution could not be kept: " + bug.why_not_kept + " -o DIR names another folder.");
  report_.executions = std::max(executions, ++report_.buggy_executions);
  report_.strategies[0].executions = report_.executions;
  report_.strategies[0].buggy_executions = report_.buggy_executions;
  ++report_.endings[static_cast<std::size_t>(Ending::kFinding)];
  report_.endings[static_cast<std::size_t>(Ending::kExited)] = report_.executions - report_.buggy_executions;
  report_.findings.push_back({&bug.trace, 0, 1, report_.executions - 1, bug.artifact, {}});
  write();
  return bug;
}

void FoundBugs::replace(Bug& bug, Trace smaller) {
  bug.trace = std::move(smaller);
  if (auto written = bug.keep_smaller(bug.trace); !written) warn(written.error().message);
  write();
}

void FoundBugs::write() {
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  after_output(static_cast<int>(ExitCode::kBug), file_.keep(report_));
}

int tell_found_bug(Trace trace, const run::Target& target, const FoundBugOptions& options, FoundBugs& found,
                   std::uint64_t executions) {
  if (trace.findings.empty())
    return complain({"The execution did not fail again when it was recorded.", ExitCode::kInconclusive});
  put_first(trace, found_finding(trace.findings, options.ended_by_bug));
  FoundBugs::Bug& bug = found.add(std::move(trace), executions);
  if (!options.no_minimize) {
    replay::MinimiseOptions budget;
    budget.allowed_exits = options.allowed_exits;
    auto small = replay::minimise(target, bug.trace, budget);
    if (small) found.replace(bug, std::move(*small));
  }
  if (!options.quiet) fmt::print(stderr, "{}", text_of(bug, use_color(options.color)));
  return static_cast<int>(ExitCode::kBug);
}

}  // namespace heddle::cli
