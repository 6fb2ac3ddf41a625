#include "tool/cli/found_bug.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "tool/artifact/artifact.h"
#include "tool/cli/terminal.h"
#include "tool/replay/minimize.h"
#include "tool/report/columns.h"
#include "tool/report/text.h"

namespace heddle::cli {
namespace {

std::string next_artifact(const std::string& directory) {
  for (unsigned i = 1;; ++i) {
    std::string path = fmt::format("{}/bug-{}.heddle", directory, i);
    if (!std::filesystem::exists(path)) return path;
  }
}

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
      ->take_all();
  app.add_option("-o,--output", o.output, "where the artifact goes [heddle-out]")->type_name("DIR");
  app.add_option("--color", o.color, "auto, always, never [auto]")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

int tell_found_bug(Trace trace, const run::Target& target, const FoundBugOptions& options) {
  if (trace.findings.empty())
    return complain({"The execution did not fail again when it was recorded.", ExitCode::kInconclusive});
  put_found_first(trace.findings, options.ended_by_bug);
  if (!options.no_minimize) {
    replay::MinimiseOptions budget;
    budget.allowed_exits = options.allowed_exits;
    auto small = replay::minimise(target, trace, budget);
    if (small) trace = std::move(*small);
  }
  const std::string path = next_artifact(options.output);
  if (auto written = write_artifact(path, trace); !written) return complain(written.error());
  report::TextOptions text;
  text.artifact = path;
  text.color = use_color(options.color == "always"  ? ColorWish::kAlways
                         : options.color == "never" ? ColorWish::kNever
                                                    : ColorWish::kAuto);
  const TraceFinding& finding = trace.findings.front();
  fmt::print(stderr, "{}", report::text_report(trace, finding, text));
  report::ColumnOptions columns;
  columns.color = text.color;
  columns.finding = &finding;
  fmt::print(stderr, "{}", report::columns(trace, columns));
  return static_cast<int>(ExitCode::kBug);
}

}  // namespace heddle::cli
