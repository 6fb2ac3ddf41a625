// heddle show: what is in an artifact.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "tool/artifact/artifact.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/recorded_program.h"
#include "tool/cli/terminal.h"
#include "tool/replay/symbolic.h"
#include "tool/report/html.h"
#include "tool/report/json.h"
#include "tool/report/kept_explanation.h"
#include "tool/report/show.h"
#include "tool/report/symbolic_text.h"

namespace heddle::cli {
namespace {

int show_symbolic(const Trace& trace) {
  auto program = find_recorded_program(trace, {});
  if (!program) return complain(program.error());
  const auto here = in_this_engine(program->target, trace);
  if (!here) return complain(here.error());
  const auto run = replay::run_symbolically(program->target, *here);
  if (!run) return complain(run.error());
  fmt::print("{}", report::symbolic_text(run->trace, run->tables));
  fmt::print("{} events, {} records, {} expressions, {} us{}\n", run->trace.total_events,
             run->tables.records.size(), run->tables.expressions.size(), run->duration_us,
             run->reuses_memory ? "; freed memory was used again" : "");
  return 0;
}

}  // namespace

int show_command(const Arguments& arguments) {
  std::string artifact;
  std::string html;
  bool json = false;
  bool all = false;
  bool symbolic = false;
  CLI::App app(
      "Prints what an artifact holds: what was run, the findings, the trace and the program's output.",
      "heddle show");
  app.footer(
      "examples:\n  heddle show heddle-out/bug-1.heddle\n  heddle show --json heddle-out/bug-1.heddle | jq "
      ".findings\n  heddle show --html bug.html heddle-out/bug-1.heddle");
  app.add_option("artifact", artifact, "bug-N.heddle")->required()->type_name("FILE");
  app.add_flag("--json", json, "as JSON");
  app.add_option("--html", html, "write a page for a browser to FILE instead; - is standard output")
      ->type_name("FILE");
  app.add_flag("--all", all, "every event, nothing folded");
  app.add_flag("--symbolic", symbolic,
               "run it again, and print what the values that threads exchanged were computed from")
      ->group("");  // for maintainers
  if (const auto code = parse_command(app, arguments)) return *code;
  auto trace = read_artifact(artifact);
  if (!trace) return complain(trace.error());
  if (symbolic) return show_symbolic(*trace);
  if (json) {
    fmt::print("{}\n", report::json_trace(*trace));
    return 0;
  }
  if (!html.empty()) {
    const auto written =
        write_text_file(html, report::html_trace(*trace, artifact, report::read_explanation(artifact)));
    return written ? 0 : complain(written.error());
  }
  report::ShowOptions options;
  options.path = artifact;
  options.all_events = all;
  options.width = terminal_width();
  fmt::print("{}", report::show_text(*trace, options));
  return 0;
}

}  // namespace heddle::cli
