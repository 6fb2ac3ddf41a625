// heddle minimize: the same bug, in an execution with less in it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "tool/artifact/artifact.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/preamble.h"
#include "tool/cli/recorded_program.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/replay/minimize.h"
#include "tool/report/escape.h"
#include "tool/report/minimised.h"

namespace heddle::cli {
namespace {

struct MinimizeOptions {
  std::string artifact, output, time = "10s";
  RecordedOptions recorded;
  std::vector<int> allowed_exits;
  bool quiet = false;
};

std::optional<int> parse_minimize(const Arguments& arguments, MinimizeOptions& o) {
  CLI::App app(
      "Makes the execution of an artifact smaller, with the same bug. It has fewer switches between threads, "
      "fewer stale reads and fewer events then. Every candidate is executed. What is left is tried once "
      "more, "
      "one by one: what the bug needs is marked as critical.",
      "heddle minimize");
  app.footer(
      "examples:\n"
      "  heddle minimize heddle-out/bug-1.heddle\n"
      "  heddle minimize --time 1m -o small.heddle heddle-out/bug-1.heddle\n"
      "\n"
      "`heddle run` does this by itself for a short time; --no-minimize turns it off.\n"
      "exit codes: 0 done, 1 the execution does not repeat, 2 bad artifact or program, 3 an error of "
      "heddle's "
      "own");
  app.add_option("artifact", o.artifact, "bug-N.heddle")->required()->type_name("FILE");
  app.add_option("-o,--output", o.output, "where to write the smaller one [over the old one]")
      ->type_name("FILE");
  app.add_option("-t,--time", o.time, "how long to try: 500ms, 10s, 5m [10s]")
      ->type_name("D")
      ->check(duration());
  add_recorded_options(app, o.recorded);
  app.add_option("--allow-exit", o.allowed_exits, "an exit status of the program that is no bug")
      ->type_name("STATUS")
      ->check(exit_status())
      ->take_all();
  app.add_flag("-q,--quiet", o.quiet, "say nothing");
  return parse_command(app, arguments);
}

}  // namespace

int minimize_command(const Arguments& arguments) {
  MinimizeOptions options;
  if (const auto code = parse_minimize(arguments, options)) return *code;
  replay::MinimiseOptions budget;
  auto seconds = parse_duration(options.time);
  if (!seconds) return complain(seconds.error());
  budget.seconds = *seconds;
  budget.allowed_exits = options.allowed_exits;
  auto opened = open_artifact(options.artifact, options.recorded);
  if (!opened) return complain(opened.error());
  auto& [original, program] = *opened;
  begin_work(*seconds);
  const auto small = [&]() -> Result<Trace> {
    auto here = in_this_engine(program.target, original);
    if (!here) return here;
    return replay::minimise(program.target, *here, budget);
  }();
  if (!small) {
    if (small.error().code == ExitCode::kInconclusive)
      tell_changed_surroundings(program.target, original.program);
    return complain(small.error());
  }
  const std::string& path = options.output.empty() ? options.artifact : options.output;
  if (auto written = write_artifact(path, *small); !written) return complain(written.error());
  if (!options.quiet) {
    fmt::print("{}", report::minimised_text(*small));
    fmt::print("written: {}\n", report::escaped(path));
  }
  return 0;
}

}  // namespace heddle::cli
