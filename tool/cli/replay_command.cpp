// heddle replay: the same bug, the same way, every time.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "compiler/install_layout.h"
#include "tool/artifact/artifact.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/terminal.h"
#include "tool/replay/replay.h"
#include "tool/report/columns.h"
#include "tool/report/text.h"

namespace heddle::cli {
namespace {

struct ReplayOptions {
  std::string artifact, program, color = "auto";
  std::uint64_t times = 1;
  bool quiet = false;
};

std::optional<int> parse(const Arguments& arguments, ReplayOptions& o) {
  CLI::App app("Runs the execution that an artifact holds again, choice for choice, and reports the bug.",
               "heddle replay");
  app.footer(
      "examples:\n"
      "  heddle replay heddle-out/bug-1.heddle\n"
      "  heddle replay --times 100 -q heddle-out/bug-1.heddle     does it always happen?\n"
      "\n"
      "exit codes: 66 reproduced, 1 not reproduced, 2 bad artifact or program, 3 an error of heddle's own");
  app.add_option("artifact", o.artifact, "bug-N.heddle")->required()->type_name("FILE");
  app.add_option("--program", o.program, "the program, where it is not at its old path")->type_name("FILE");
  app.add_option("--times", o.times, "replay this many times [1]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_flag("-q,--quiet", o.quiet, "only the verdict");
  app.add_option("--color", o.color, "auto, always, never [auto]")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return show_help(app);
    return complain({std::string(error.what()) + " `heddle replay --help` lists the options."});
  }
  return std::nullopt;
}

void show(const Trace& trace, const ReplayOptions& o) {
  const bool color = use_color(o.color == "always"  ? ColorWish::kAlways
                               : o.color == "never" ? ColorWish::kNever
                                                    : ColorWish::kAuto);
  for (const TraceFinding& finding : trace.findings) {
    if (finding.severity != Severity::kBug) continue;
    report::TextOptions text;
    text.artifact = o.artifact;
    text.color = color;
    fmt::print(stderr, "{}", report::text_report(trace, finding, text));
    report::ColumnOptions columns;
    columns.color = color;
    columns.finding = &finding;
    fmt::print(stderr, "{}", report::columns(trace, columns));
  }
}

}  // namespace

int replay_command(const Arguments& arguments) {
  ReplayOptions options;
  if (const auto code = parse(arguments, options)) return *code;
  auto original = read_artifact(options.artifact);
  if (!original) return complain(original.error());
  auto layout = compiler::find_layout();
  if (!layout) return complain(layout.error());
  std::vector<std::string> argv = original->program.argv;
  std::vector<std::string> notes;
  const std::string path = options.program.empty() ? original->program.path : options.program;
  if (argv.empty()) argv.push_back(path);
  auto target = run::resolve_target({path}, layout->library, notes);
  if (!target) return complain(target.error());
  target->argv = argv;
  if (options.program.empty()) target->cwd = original->program.cwd;
  const bool changed = target->build_id != original->program.build_id;
  if (changed) warn(path + " is not the binary that the artifact was made with (its build id differs).");

  std::uint64_t reproduced = 0;
  std::string difference;
  for (std::uint64_t i = 0; i < options.times; ++i) {
    auto outcome = replay::replay(*target, *original, options.times == 1 && !options.quiet);
    if (!outcome) return complain(outcome.error());
    if (outcome->reproduced) ++reproduced;
    if (difference.empty()) difference = outcome->difference;
    if (i == 0 && outcome->reproduced && !options.quiet) show(outcome->trace, options);
  }
  if (!difference.empty()) warn("replay differs from the artifact: " + difference);
  if (options.times > 1 || options.quiet) {
    fmt::print(stderr, "heddle: reproduced {} of {} times\n", reproduced, options.times);
  }
  if (reproduced == options.times) return static_cast<int>(ExitCode::kBug);
  return complain(
      {"The bug was not reproduced" + std::string(changed ? ": the program has changed since." : "."),
       ExitCode::kInconclusive});
}

}  // namespace heddle::cli
