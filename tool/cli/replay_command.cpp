// heddle replay: the same bug, the same way, every time.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <set>

#include "tool/cli/choice_option.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/preamble.h"
#include "tool/cli/recorded_program.h"
#include "tool/cli/replay_gdb.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/replay/engine_version.h"
#include "tool/replay/replay.h"
#include "tool/report/columns.h"
#include "tool/report/text.h"

namespace heddle::cli {
namespace {

struct ReplayOptions {
  std::string artifact;
  ColorWish color = ColorWish::kAuto;
  RecordedOptions recorded;
  std::uint64_t times = 1;
  static constexpr std::uint32_t kNoEvent = ~0u;
  std::uint32_t until_event = kNoEvent;
  std::uint32_t stop_at = kNoEvent;
  bool quiet = false, verbose = false;
  bool gdb = false;
  std::string debugger = "gdb";
};

std::optional<int> parse_replay(const Arguments& arguments, ReplayOptions& o) {
  CLI::App app("Runs the execution that an artifact holds again, choice for choice, and reports the bug.",
               "heddle replay");
  app.footer(
      "examples:\n"
      "  heddle replay heddle-out/bug-1.heddle\n"
      "  heddle replay --times 100 -q heddle-out/bug-1.heddle     does it always happen?\n"
      "  heddle replay --until-event 40 heddle-out/bug-1.heddle   up to there\n"
      "  heddle replay --gdb heddle-out/bug-1.heddle              in a debugger\n"
      "  heddle replay --stop-at 40 heddle-out/bug-1.heddle       for a debugger\n"
      "\n"
      "exit codes: 66 reproduced, 1 not reproduced, 2 bad artifact or program, 3 an error of heddle's own");
  app.add_option("artifact", o.artifact, "bug-N.heddle")->required()->type_name("FILE");
  add_recorded_options(app, o.recorded);
  app.add_option("--times", o.times, "replay this many times [1]")->type_name("N")->check(whole_number(1));
  app.add_option("--until-event", o.until_event, "end the execution after this event and show it")
      ->type_name("K")
      ->check(whole_number(0, ReplayOptions::kNoEvent - 1));
  app.add_option(
         "--stop-at", o.stop_at,
         "stop the process before this event, and go on when it gets SIGCONT or a debugger continues it")
      ->type_name("EVENT")
      ->check(whole_number(0, ReplayOptions::kNoEvent - 1));
  app.add_flag("--gdb", o.gdb,
               "under gdb, with commands for all threads and events; type `help heddle` there");
  app.add_option("--debugger", o.debugger, "the gdb to use, with its options [gdb]")->type_name("COMMAND");
  app.add_flag("-q,--quiet", o.quiet, "only the verdict");
  app.add_flag("-v,--verbose", o.verbose, "the whole trace, and all frames of all stacks");
  add_color_option(app, o.color);
  return parse_command(app, arguments);
}

void show(const Trace& trace, const ReplayOptions& o) {
  for (const TraceFinding& finding : trace.findings) {
    if (finding.severity != Severity::kBug) continue;
    report::TextOptions text;
    text.artifact = o.artifact;
    text.color = use_color(o.color);
    text.width = report_width();
    if (o.verbose) text.detail = report::Detail::kAll;
    fmt::print(stderr, "{}", report::text_report(trace, finding, text));
  }
}

// An execution that came again choice for choice is shown as the artifact has it: with what minimising has found
// out, and with the plain accesses.
Trace as_shown(const Trace& original, Trace again) {
  if (again.result.trace_hash != original.result.trace_hash || original.events.empty()) return again;
  Trace trace = original;
  trace.pid = again.pid;
  return trace;
}

struct Verdict {
  std::uint64_t reproduced = 0;
  std::set<std::uint64_t> digests;  // of all events of each
  std::string difference;           // the first one
  std::string other_engine;         // ReplayOutcome
  ProgramIdentity program;          // as it ran last
};

void tell_where(pid_t pid, std::uint32_t event) {
  fmt::print(
      stderr,
      "heddle: process {} stands before event {}. Attach with `gdb -p {}`; it goes on with `kill -CONT "
      "{}`.\n",
      pid, event, pid, pid);
}

Result<Verdict> repeat(const run::Target& target, const Trace& original, const ReplayOptions& o) {
  Verdict verdict;
  const bool shown = o.times == 1 && !o.quiet;
  replay::ReplayOptions how;
  how.shows_output = shown;
  how.symbolise = shown;
  how.pause_at_event = o.stop_at;
  how.on_pause = [&](pid_t pid) { tell_where(pid, o.stop_at); };
  for (std::uint64_t i = 0; i < o.times; ++i) {
    auto outcome = replay::replay(target, original, how);
    if (!outcome) return outcome.error();
    if (outcome->reproduced) ++verdict.reproduced;
    verdict.program = outcome->trace.program;
    verdict.digests.insert(outcome->digest);
    if (verdict.difference.empty()) verdict.difference = outcome->difference;
    if (i == 0) {
      verdict.other_engine = outcome->other_engine;
      if (outcome->guided) warn(replay::followed_text(outcome->other_engine));
      for (const std::string& module : outcome->changed_modules)
        warn(module + " is not the library that the artifact was made with (its build id differs).");
    }
    if (shown && outcome->reproduced) show(as_shown(original, std::move(outcome->trace)), o);
  }
  return verdict;
}

int show_until(const run::Target& target, const Trace& made, const ReplayOptions& o) {
  const auto here = in_this_engine(target, made);
  if (!here) return complain(here.error());
  const Trace& original = *here;
  replay::ReplayOptions how;
  how.shows_output = !o.quiet;
  how.end_after_event = o.until_event;
  auto outcome = replay::replay(target, original, how);
  if (!outcome) return complain(outcome.error());
  if (!outcome->difference.empty()) {
    warn("replay differs from the artifact: " + outcome->difference);
    tell_changed_surroundings(target, original.program, outcome->trace.program);
  }
  report::ColumnOptions columns;
  columns.max_rows = outcome->trace.events.size();
  columns.color = use_color(ColorWish::kAuto);
  fmt::print(stderr, "{}", report::columns(outcome->trace, columns));
  if (outcome->reproduced) return static_cast<int>(ExitCode::kBug);
  return outcome->cut ? 0 : static_cast<int>(ExitCode::kInconclusive);
}

}  // namespace

int replay_command(const Arguments& arguments) {
  if (arguments.size() >= 2 && arguments[0] == kReplaceThis)
    return become_replay(Arguments(arguments.begin() + 1, arguments.end()));
  ReplayOptions options;
  if (const auto code = parse_replay(arguments, options)) return *code;
  auto opened = open_artifact(options.artifact, options.recorded);
  if (!opened) return complain(opened.error());
  auto& [original, program] = *opened;
  const bool changed = program.is_other_build;

  if (options.gdb) {
    // gdb has the artifact's choices followed exactly, by a process that has no second try.
    std::vector<std::string> followed;
    const auto here = replay::in_this_engine(program.target, original, followed);
    if (!here) return complain(here.error());
    if (!followed.empty())
      return complain({followed[0] + " For the debugger they have to fit: `heddle minimize -o new.heddle " +
                           options.artifact + "` writes an artifact of this version.",
                       ExitCode::kBadInput});
    return debug_replay(options.artifact, original, program.target, options.debugger, options.recorded);
  }
  if (options.until_event != ~0u) return show_until(program.target, original, options);
  const auto verdict = repeat(program.target, original, options);
  if (!verdict) return complain(verdict.error());
  if (!verdict->difference.empty()) warn("replay differs from the artifact: " + verdict->difference);
  if (!verdict->difference.empty() || verdict->reproduced != options.times)
    tell_changed_surroundings(program.target, original.program, verdict->program);
  if (options.times > 1 || options.quiet) {
    fmt::print(stderr, "heddle: reproduced {} of {} times{}\n", verdict->reproduced, options.times,
               options.times == 1 ? ""
               : verdict->digests.size() == 1
                   ? fmt::format(", event for event the same (digest {:016x})", *verdict->digests.begin())
                   : fmt::format(", in {} different ways", verdict->digests.size()));
  }
  if (verdict->reproduced == options.times && verdict->digests.size() == 1)
    return static_cast<int>(ExitCode::kBug);
  if (verdict->reproduced == options.times)
    return complain(
        {"The bug was reproduced each time, but not by the same events: the program depends on "
         "something that heddle does not control. `heddle run --verify-determinism` shows where.",
         ExitCode::kInconclusive});
  std::string why = changed ? ": the program has changed since." : ".";
  if (!verdict->other_engine.empty()) why += " " + replay::refused_text(verdict->other_engine);
  return complain({"The bug was not reproduced" + why, ExitCode::kInconclusive});
}

}  // namespace heddle::cli
