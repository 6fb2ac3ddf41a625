#include "tool/cli/found_bug.h"

#include <fmt/core.h>

#include <algorithm>

#include "tool/cli/choice_option.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/findings/findings_folder.h"
#include "tool/replay/minimize.h"
#include "tool/report/text.h"

namespace heddle::cli {
namespace {

// What the artifact is about comes first in it: a bug, if there is one besides warnings.
void put_found_first(std::vector<TraceFinding>& findings, bool is_last) {
  auto found = findings.end();
  for (auto at = findings.begin(); at != findings.end(); ++at) {
    if (at->severity == Severity::kBug && (found == findings.end() || is_last)) found = at;
  }
  if (found != findings.end()) std::rotate(findings.begin(), found, found + 1);
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

std::string FoundBugs::add(Trace trace, std::uint64_t executions) {
  auto added = add_bug(folder_, trace);
  if (!added) {
    warn("This execution could not be kept: " + added.error().message + " -o DIR names another folder.");
    return {};
  }
  report_.executions = std::max(executions, ++report_.buggy_executions);
  report_.strategies[0].executions = report_.executions;
  report_.strategies[0].buggy_executions = report_.buggy_executions;
  ++report_.endings[static_cast<std::size_t>(Ending::kFinding)];
  report_.endings[static_cast<std::size_t>(Ending::kExited)] = report_.executions - report_.buggy_executions;
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  traces_.push_back(std::move(trace));
  report_.findings.push_back({&traces_.back(), 0, 1, report_.executions - 1, *added, {}});
  if (auto kept = file_.keep(report_); !kept) warn(kept.error().message);
  return *added;
}

int tell_found_bug(Trace trace, const run::Target& target, const FoundBugOptions& options, FoundBugs& found,
                   std::uint64_t executions) {
  if (trace.findings.empty())
    return complain({"The execution did not fail again when it was recorded.", ExitCode::kInconclusive});
  put_found_first(trace.findings, options.ended_by_bug);
  if (!options.no_minimize) {
    replay::MinimiseOptions budget;
    budget.allowed_exits = options.allowed_exits;
    auto small = replay::minimise(target, trace, budget);
    if (small) trace = std::move(*small);
  }
  report::TextOptions text;
  text.artifact = found.add(trace, executions);
  if (options.quiet) return static_cast<int>(ExitCode::kBug);
  text.color = use_color(options.color);
  text.width = report_width();
  fmt::print(stderr, "{}", report::text_report(trace, trace.findings.front(), text));
  return static_cast<int>(ExitCode::kBug);
}

}  // namespace heddle::cli
