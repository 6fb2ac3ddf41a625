// heddle reconstruct: from the paths of one failing run, the failure itself.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tool/cli/commands.h"
#include "tool/cli/found_bug.h"
#include "tool/cli/help.h"
#include "tool/cli/preamble.h"
#include "tool/cli/progress_line.h"
#include "tool/cli/search_and_hunt.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/record/log_reader.h"
#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/search/guided_hunt.h"
#include "tool/search/production.h"

namespace heddle::cli {
namespace {

struct ReconstructChoice {
  search::ReconstructOptions reconstruct;
  FoundBugOptions found;
  std::string log, time = "60s", model = "c++20";
  std::uint64_t seed = 1;
  std::vector<std::string> program;
  std::optional<std::uint64_t> most_drawn;
  bool quiet = false, only_paths = false;
};

std::optional<int> parse_reconstruct(const Arguments& arguments, ReconstructChoice& o) {
  CLI::App app(
      "Makes an execution from the path log of one run (`heddle record`): its threads take the same paths, "
      "and "
      "it ends in the same way. Executions are cut off where a thread leaves its path, and the solver is "
      "asked for a schedule in which it does not. It needs the program of the log, built with `heddle c++ "
      "--full`.",
      "heddle reconstruct [options] LOG -- PROGRAM [ARGS…]");
  app.footer(
      "examples:\n"
      "  heddle reconstruct heddle-logs/server-4711.hlog -- ./server --once\n"
      "\n"
      "exit codes: 66 the failure was reconstructed, or another bug was found on the way (it says which), 0 "
      "the "
      "run did not fail and was reconstructed, 1 no execution takes these paths within the budget, 2 bad log "
      "or "
      "program, 3 an error of heddle's own");
  app.add_option("log", o.log, "the path log")->type_name("LOG")->required();
  auto* most =
      app.add_option("-n,--executions", o.reconstruct.most_executions,
                     "stop after N executions of the solver's schedules, and after N drawn along the paths "
                     "[400, and as many as the time allows]");
  most->type_name("N")->check(whole_number(1));
  app.add_option("-t,--time", o.time, "stop after this long [60s]")->type_name("D")->check(duration());
  app.add_option("--seed", o.seed, "the seed of the executions to start from [1]")
      ->type_name("S")
      ->check(whole_number());
  app.add_option("--model", o.model, "the memory model [c++20]")
      ->type_name("M")
      ->check(one_of({"c++20", "sc"}));
  app.add_flag("--only-paths", o.only_paths,
               "only executions derived from the log's paths: none that try besides, as `heddle run "
               "--look-for` makes");
  add_found_bug_options(app, o.found);
  app.add_flag("-q,--quiet", o.quiet, "only the report");
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) o.program.assign(dashes + 1, arguments.end());
  if (const auto code = parse_command(app, Arguments(arguments.begin(), dashes))) return code;
  if (most->count() != 0) o.most_drawn = o.reconstruct.most_executions;
  if (o.program.empty())
    return complain(
        {"No program given. For example:\nheddle reconstruct heddle-logs/server-4711.hlog -- ./server "
         "--once\n"
         "`heddle reconstruct --help` explains it."});
  return std::nullopt;
}

void tell_matched(const search::MatchedThreads& threads, bool succeeded) {
  for (const auto& [thread, matched] : threads) {
    const char* rest = matched.ran > matched.of                  ? ", and went on"
                       : succeeded && matched.steps < matched.of ? ", and then came the failure"
                                                                 : "";
    fmt::print(
        stderr, "  thread {}: {} of {} branches{}{}\n", report::escaped(thread), matched.steps, matched.of,
        matched.waited != 0 ? fmt::format(", besides {} in rounds of waiting", matched.waited) : "", rest);
  }
}

std::string tried_text(const HuntOutcome& tried, const search::GuidedHunt& guided) {
  std::string text;
  if (guided.executions() != 0)
    text += fmt::format("; {} drawn along the paths, the furthest of which made {} of {} branches",
                        report::grouped(guided.executions()), report::grouped(guided.furthest()),
                        report::grouped(guided.steps()));
  if (tried.executions != 0) text += fmt::format("; {} tried besides", report::grouped(tried.executions));
  return text;
}

// The failure was found by executions that were drawn: how far they are along the logged paths is told, and nothing
// depends on it.
void tell_drawn(search::Executions& executions, const PathLog& log, const Trace& trace,
                const std::string& drawn) {
  fmt::print(stderr,
             "heddle: reconstructed: an execution fails as the run did; {}. How far its threads went along "
             "the paths of "
             "the log:\n",
             drawn);
  search::Executed executed;
  executed.choices = trace.choices;
  executed.result.trace_hash = trace.result.trace_hash;
  executed.visible = trace.spec.visible;
  auto traced = executions.trace(executed);
  if (!traced) return warn("This could not be seen. " + traced.error().message);
  tell_matched(search::match(search::logged_paths(log), **traced), true);
}

// It goes on all the same: often the difference does not matter.
void tell_other_input(const std::string& log, const record::RunParts& logged, const run::Target& target) {
  std::string text = log + " is of a run with other arguments, environment or input than here";
  constexpr std::size_t kMost = 6;
  const std::vector<std::string> others = search::other_parts(logged, target);
  for (std::size_t i = 0; i < std::min(others.size(), kMost); ++i) text += (i == 0 ? ": " : "; ") + others[i];
  if (others.size() > kMost) text += fmt::format("; and {} more", others.size() - kMost);
  warn(text + ". If it is not found, run this under what the log was made with.");
}

}  // namespace

int reconstruct_command(const Arguments& arguments) {
  ReconstructChoice options;
  if (const auto code = parse_reconstruct(arguments, options)) return *code;
  // As it was logged: with fewer switches threads could take other paths. `heddle minimize` is there.
  options.found.no_minimize = true;
  options.found.ended_by_bug = true;
  auto seconds = parse_duration(options.time);
  if (!seconds) return complain(seconds.error());
  options.reconstruct.seconds = *seconds;
  auto program = find_given_program(options.program);
  if (!program) return complain(program.error());
  const run::Target& target = program->target;
  auto tables = PathTables::read(target.path);
  if (!tables) return complain(tables.error());
  auto log = read_path_log(options.log, *tables);
  if (!log) return complain(log.error());
  if (log->run != search::run_identity(target)) tell_other_input(options.log, log->parts, target);
  RunSpec spec;
  spec.seed = options.seed;
  spec.model = options.model == "sc" ? ModelKind::kSc : ModelKind::kCxx20;
  begin_work(options.reconstruct.seconds);
  options.reconstruct.sees_races = true;
  auto executions = search::Executions::start(target, spec, options.found.allowed_exits);
  if (!executions) return complain(executions.error());
  executions->keep_decisions();
  FoundBugs found("reconstruct", options.found.output, target, options.seed);
  ProgressLine progress(!options.quiet && stderr_is_terminal());
  const search::LoggedEnd end = search::logged_end(*log);
  if (end.hangs && !options.quiet)
    fmt::print(stderr, "heddle: {} has no end: its run was killed, or still runs; looking for how it hangs\n",
               report::escaped(options.log));
  Result<search::Reconstruction> done = search::Reconstruction();
  const auto think = [&] {
    done = search::reconstruct(*executions, search::logged_paths(*log), end, options.reconstruct,
                               [&](std::size_t matched, std::size_t of) {
                                 progress.show(fmt::format("heddle: {} of {} branches …", matched, of));
                               });
    return !done || done->succeeded ? Thought::kEnough : Thought::kNothing;
  };
  HuntOutcome tried;
  const auto wanted = run::WantedFailure::at_place(end.hangs ? "" : outcome_text(log->outcome));
  search::GuidedHunt guided(target, spec, options.found.allowed_exits, wanted, search::logged_paths(*log));
  guided.on_step = [&](std::size_t matched, std::size_t of) {
    progress.show(fmt::format("heddle: {} of {} branches …", report::grouped(matched), report::grouped(of)));
  };
  guided.most_executions = options.most_drawn;
  std::optional<Trace> along;
  const auto hunt_along = [&] {
    auto hunted = guided.run();
    if (hunted && *hunted) along = std::move(**hunted);
    return along ? Thought::kEnough : Thought::kNothing;
  };
  if (end.fails) {
    HuntOptions hunt{wanted, options.found.allowed_exits, spec,
                     [&](const report::Progress& p) { progress.show(p); }};
    hunt.tries = !options.only_paths;
    tried = search_and_hunt(target, hunt, think, hunt_along);
  } else {
    think();
  }
  progress.clear();
  if (!done) return complain(done.error());
  if (along) {
    if (!options.quiet)
      tell_drawn(*executions, *log, *along,
                 fmt::format(
                     "{} were drawn along the paths of the log, the furthest of which made {} of {} branches "
                     "before a thread left its path",
                     report::grouped(guided.executions()), report::grouped(guided.furthest()),
                     report::grouped(guided.steps())));
    options.found.ended_by_bug = false;  // what was looked for comes first
    return tell_found_bug(std::move(*along), target, options.found, found,
                          done->executions + tried.executions + guided.executions());
  }
  if (tried.bug) {
    if (!options.quiet)
      tell_drawn(*executions, *log, tried.bug->trace, report::grouped(tried.executions) + " tried");
    options.found.ended_by_bug = false;  // what was looked for comes first
    return tell_found_bug(std::move(tried.bug->trace), target, options.found, found,
                          done->executions + tried.executions);
  }
  if (!done->succeeded) {
    fmt::print(stderr,
               "heddle: no execution takes the paths of {} to their end; {} executed, {} questions{}\n",
               report::escaped(options.log), done->executions, done->questions, tried_text(tried, guided));
    tell_matched(done->matched, false);
    if (done->met) {
      warn(std::string(end.fails ? "The failure of the log" : "The end of the log") +
           " was not reached along its paths. This other bug was found on the way, and is kept:");
      auto trace = executions->record(*done->met);
      if (!trace) return complain(trace.error());
      return tell_found_bug(std::move(*trace), target, options.found, found, done->executions);
    }
    return static_cast<int>(ExitCode::kInconclusive);
  }
  if (!options.quiet) {
    fmt::print(stderr, "heddle: reconstructed; {} executed, {} questions to the solver\n", done->executions,
               done->questions);
    tell_matched(done->matched, true);
    if (!end.hangs)
      fmt::print(stderr, "heddle: it ends as the run did: {}\n", report::escaped(outcome_text(log->outcome)));
  }
  if (!end.fails) return static_cast<int>(ExitCode::kNoBug);
  auto trace = executions->record(done->executed);
  if (!trace) return complain(trace.error());
  return tell_found_bug(std::move(*trace), target, options.found, found, done->executions);
}

}  // namespace heddle::cli
