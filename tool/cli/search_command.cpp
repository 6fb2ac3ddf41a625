// heddle search: bugs that have not happened yet, from runs that passed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "tool/cli/commands.h"
#include "tool/cli/found_bug.h"
#include "tool/cli/help.h"
#include "tool/cli/preamble.h"
#include "tool/cli/progress_line.h"
#include "tool/cli/search_and_hunt.h"
#include "tool/cli/search_text.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/run/race_consequences.h"
#include "tool/run/time_limit.h"
#include "tool/run/visible_race.h"
#include "tool/search/production.h"
#include "tool/search/search.h"

namespace heddle::cli {
namespace {

struct SearchChoice {
  search::SearchOptions search;
  FoundBugOptions found;
  std::string from, time = "60s", order = "pruned", model = "c++20";
  std::uint64_t seed = 1, runs = 20;
  std::vector<std::string> program;
  bool quiet = false, verbose = false, any_input = false, only_near_runs = false;
};

std::optional<int> parse_search(const Arguments& arguments, SearchChoice& o) {
  CLI::App app(
      "Searches for a bug near executions that passed. First it asks for all schedules of the paths that "
      "their "
      "threads took, for every assertion, pointer, race, use after free and deadlock. Then it asks for paths "
      "on which branches go the other way. The solver names a schedule, the schedule is executed, and only "
      "what fails then is reported. It needs a program built with `heddle c++ --full`.",
      "heddle search [options] [--] PROGRAM [ARGS…]");
  app.footer(
      "examples:\n"
      "  heddle search --from heddle-logs -- ./server\n"
      "  heddle search -- ./test\n"
      "  heddle search --order thesis --depth 5 --traces 4 -v -- ./test\n"
      "\n"
      "exit codes: 0 nothing was found and nothing is left to ask, 66 a bug was found, 1 the budget was "
      "spent first, 2 bad command line or program, 3 an error of heddle's own");
  app.add_option("--from", o.from, "start from the runs that passed among these path logs")
      ->type_name("RUNS");
  app.add_flag("--any-input", o.any_input,
               "also from logs of runs with other arguments, environment or standard input than here");
  app.add_option("--runs", o.runs, "executions to start from, or runs of --from at most [20]")
      ->type_name("N")
      ->check(whole_number(1, 100'000));
  app.add_option("--order", o.order,
                 "flips that some schedule makes (pruned), or all by distance, one by one (thesis) [pruned]")
      ->type_name("O")
      ->check(one_of({"pruned", "thesis"}));
  app.add_option("-D,--depth", o.search.depth, "thesis: flip the D branches nearest to the assertion [16]")
      ->type_name("D")
      ->check(whole_number(0, 1'000'000));
  app.add_option("-N,--traces", o.search.traces, "thesis: traces that are tried for each flip [4]")
      ->type_name("N")
      ->check(whole_number(0, 1'000'000));
  app.add_option("--together", o.search.most_together, "thesis: branches that are flipped at once [2]")
      ->type_name("K")
      ->check(whole_number(0, 1'000'000));
  app.add_option("--base", o.search.base, "only from this run [all]")
      ->type_name("K")
      ->check(whole_number(0, 1'000'000));
  app.add_option("-n,--executions", o.search.most_executions, "stop after N executions of schedules [1000]")
      ->type_name("N")
      ->check(whole_number());
  app.add_option("-t,--time", o.time, "stop after this long [60s]")->type_name("D")->check(duration());
  app.add_option("--seed", o.seed, "the seed of the executions to start from [1]")
      ->type_name("S")
      ->check(whole_number());
  app.add_option("--model", o.model, "the memory model [c++20]")
      ->type_name("M")
      ->check(one_of({"c++20", "sc"}));
  app.add_flag(
      "--only-near-runs", o.only_near_runs,
      "only what follows from runs that passed: no executions that try besides, as `heddle run` makes");
  add_found_bug_options(app, o.found);
  app.add_flag("--no-minimize", o.found.no_minimize, "keep the execution as it was found");
  app.add_flag("-v,--verbose", o.verbose, "a line for each question");
  app.add_flag("-q,--quiet", o.quiet, "only the report");
  app.add_option("program", o.program, "the program and its arguments")->type_name("PROGRAM")->required();
  app.positionals_at_end();
  return parse_command(app, arguments);
}

Result<std::optional<search::FoundBug>> recorded(search::Executions& executions,
                                                 const search::Executed& failed) {
  auto trace = executions.record(failed);
  if (!trace) return trace.error();
  if (trace->findings.empty()) return std::optional<search::FoundBug>();
  search::FoundBug bug;
  bug.trace = std::move(*trace);
  return std::optional(std::move(bug));
}

// Runs that pass; one that fails ends the search before it began.
Result<std::optional<search::FoundBug>> add_samples(search::Executions& executions, search::Search& search,
                                                    const SearchChoice& options) {
  for (std::uint64_t i = 0; i < options.runs && !run::time_is_up(); ++i) {
    auto run = executions.sample(i);
    if (!run) return run.error();
    if (run->is_bug) {
      auto bug = recorded(executions, *run);
      if (!bug || *bug) return bug;
    }
    if (!run->passes) continue;
    auto added = search.add(*run);
    if (!added && added.error().code != ExitCode::kInconclusive) return added.error();
  }
  return std::optional<search::FoundBug>();
}

void tell_others(const std::vector<std::string>& others) {
  if (others.empty()) return;
  constexpr std::size_t kMostNames = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(others.size(), kMostNames); ++i) names += " " + others[i];
  if (others.size() > kMostNames) names += fmt::format(" and {} more", others.size() - kMostNames);
  const bool is_one = others.size() == 1;
  warn(fmt::format(
      "{} log{} with other arguments, environment or input than here {} left out:{}. Give the program the "
      "same, or --any-input.",
      others.size(), is_one ? " of a run" : "s of runs", is_one ? "is" : "are", names));
}

// What became of the runs to start from.
struct Start {
  std::optional<Error> nothing;  // why there is none
  bool has_logs = true;          // false: the user has to record some first
};

// Executions that take the paths of runs in production. The answer: one that failed on the way to them.
Result<std::optional<search::FoundBug>> add_production(search::Executions& executions, search::Search& search,
                                                       const SearchChoice& options, Start& start) {
  std::optional<std::uint64_t> given;
  if (!options.any_input) given = search::run_identity(executions.target());
  auto runs = search::read_runs(options.from, executions.target().path, given);
  if (!runs) return runs.error();
  tell_others(runs->others);
  if (runs->unusable != 0)
    warn(fmt::format("{} logs were left out. The first: {}", runs->unusable, runs->first_problem));
  if (runs->unread != 0)
    warn(fmt::format("{} logs were not read in the time given. Give more (--time).", runs->unread));
  if (runs->failed != 0)
    warn(fmt::format("{} logs are of runs that failed; `heddle reconstruct` is for these.", runs->failed));
  if (runs->database.distinct_runs() == 0) {
    start.has_logs = false;
    start.nothing = Error{
        "There is no log of a run that passed to start from. Record runs that pass with `heddle record -d " +
            options.from + "`.",
        ExitCode::kInconclusive};
    return std::optional<search::FoundBug>();
  }
  search::FollowLimits limits;
  limits.runs = options.runs;
  // What takes long to follow must not use up the time to search.
  limits.seconds = options.search.seconds / 3;
  limits.each.most_executions = 100;
  limits.each.seconds = limits.seconds / 4;
  auto followed = search::follow_runs(executions, runs->database, limits);
  if (!followed) return followed.error();
  for (const search::Executed& executed : followed->executed) {
    if (run::time_is_up()) break;
    auto added = search.add(executed);
    if (!added && added.error().code != ExitCode::kInconclusive) return added.error();
  }
  if (!options.quiet) {
    fmt::print(stderr, "heddle: {} runs, {} different, of which {} were looked at and {} reconstructed\n",
               runs->database.runs(), runs->database.distinct_runs(), followed->looked_at, followed->same);
    constexpr std::size_t kMostTold = 5;
    for (std::size_t i = 0; i < std::min(followed->short_of.size(), kMostTold); ++i) {
      const auto& [run, branches, of] = followed->short_of[i];
      fmt::print(stderr, "  run {}: followed for {} of {} branches\n", run, branches, of);
    }
    if (followed->short_of.size() > kMostTold)
      fmt::print(stderr, "  and {} more that were not followed to their end\n",
                 followed->short_of.size() - kMostTold);
  }
  if (followed->failed) return recorded(executions, *followed->failed);
  return std::optional<search::FoundBug>();
}

PlaceNames place_names(search::Executions& executions) {
  return [&executions](std::uint64_t pc) { return report::escaped(executions.source_place(pc)); };
}

// What runs near by lead to.
Result<std::optional<search::FoundBug>> find_near_runs(search::Executions& executions, search::Search& search,
                                                       const SearchChoice& options, Start& start) {
  auto found = options.from.empty() ? add_samples(executions, search, options)
                                    : add_production(executions, search, options, start);
  // A failure that is derived from a run says more than one that was met on the way to its paths.
  if (!found || start.nothing || (*found && (options.from.empty() || search.runs() == 0))) return found;
  if (search.runs() == 0) {
    start.nothing =
        Error{run::time_is_up()
                  ? "The time was over before there was a run that passed to start from. Give more (--time)."
              : options.from.empty() ? "No run passed: there is nothing to start from."
                                     : "No execution was found that passes and is like a run of the logs.",
              ExitCode::kInconclusive};
    return found;
  }
  if (!options.quiet) fmt::print(stderr, "heddle: {} different runs passed\n", search.runs());
  if (options.verbose) {
    for (std::size_t i = 1; i <= search.runs(); ++i) {
      fmt::print(stderr, "run {}:", i);
      for (const auto& [name, path] : search.run(i).paths())
        fmt::print(stderr, " {}:{}", name, path.empty() ? "-" : search::bits_of(path));
      fmt::print(stderr, "\n");
    }
    search.on_attempt = [&](const search::Attempt& attempt) {
      fmt::print(stderr, "{}", attempt_line(attempt, place_names(executions)));
    };
  }
  auto derived = search.find();
  if (!derived || *derived) return derived;
  return found;
}

// What was found by trying. What a race leads to says more than the race.
search::FoundBug as_found(run::FoundBug bug, const run::Target& target, const SearchChoice& options) {
  search::FoundBug found;
  const TraceFinding& finding = bug.trace.findings[bug.finding];
  VisiblePlaces places = bug.trace.spec.visible;
  if (finding.kind == FindingKind::kDataRace && run::add_race(finding, places)) {
    run::CampaignOptions how;
    how.spec = bug.trace.spec;
    how.spec.replay = ReplayKind::kNone;
    how.spec.record_events = 0;
    how.seconds = options.search.seconds;
    how.allowed_exits = options.found.allowed_exits;
    const std::uint64_t most = run::executions_for_consequences(bug.trace.result.steps);
    run::RaceConsequences leads_to = run::ConsequenceSearch(target, how, most).search(places);
    if (!leads_to.bugs.empty()) bug = std::move(leads_to.bugs.front());
  }
  found.trace = std::move(bug.trace);
  return found;
}

int tell(search::FoundBug& bug, search::Executions& executions, const SearchChoice& options, FoundBugs& found,
         std::uint64_t executed) {
  const int code = tell_found_bug(std::move(bug.trace), executions.target(), options.found, found, executed);
  if (code == static_cast<int>(ExitCode::kBug) && bug.attempt.base != 0)
    fmt::print(stderr, "{}", derivation_text(bug, place_names(executions)));
  return code;
}

}  // namespace

int search_command(const Arguments& arguments) {
  SearchChoice options;
  if (const auto code = parse_search(arguments, options)) return *code;
  auto seconds = parse_duration(options.time);
  if (!seconds) return complain(seconds.error());
  options.search.seconds = *seconds;
  options.search.order =
      options.order == "thesis" ? search::SearchOrder::kThesis : search::SearchOrder::kPruned;
  auto program = find_given_program(options.program);
  if (!program) return complain(program.error());
  const run::Target& target = program->target;
  RunSpec spec;
  spec.seed = options.seed;
  spec.model = options.model == "sc" ? ModelKind::kSc : ModelKind::kCxx20;
  auto executions = search::Executions::start(target, spec, options.found.allowed_exits);
  if (!executions) return complain(executions.error());
  begin_work(*seconds);

  FoundBugs kept("search", options.found.output, target, options.seed);
  search::Search search(*executions, options.search);
  Result<std::optional<search::FoundBug>> found = std::optional<search::FoundBug>();
  Start start;
  const auto think = [&] {
    found = find_near_runs(*executions, search, options, start);
    if (found && !*found && start.nothing) warn(start.nothing->message);
    return !found || *found || !start.has_logs ? Thought::kEnough : Thought::kNothing;
  };
  HuntOutcome tried;
  // (Lines of the search itself would come into it.)
  ProgressLine progress(!options.quiet && !options.verbose && stderr_is_terminal());
  if (options.only_near_runs) {
    think();
  } else {
    HuntOptions hunt{run::WantedFailure::any(), options.found.allowed_exits, spec,
                     [&](const report::Progress& p) { progress.show(p); }};
    tried = search_and_hunt(target, hunt, think);
    progress.clear();
  }
  if (tried.bug) {
    found = std::optional(as_found(std::move(*tried.bug), target, options));
  } else if (!found) {
    return complain(found.error());
  } else if (!*found && start.nothing) {
    return static_cast<int>(ExitCode::kInconclusive);
  }
  const search::SearchCounts& counts = search.counts();
  const int code = *found             ? tell(**found, *executions, options, kept, counts.executions)
                   : search.gave_up() ? static_cast<int>(ExitCode::kInconclusive)
                                      : static_cast<int>(ExitCode::kNoBug);
  if (!options.quiet) {
    fmt::print(stderr,
               "heddle: {}; {} questions to the solver in {:.2f} s, {} combinations of flips, {} paths "
               "synthesised, {} tried, {} executed{}\n",
               *found             ? "a bug was found"
               : search.gave_up() ? "no bug was found within the budget"
                                  : "no bug was found",
               counts.questions, counts.solver_seconds, counts.flips, counts.synthesised, counts.tries,
               counts.executions,
               tried.executions != 0
                   ? fmt::format("; {} executions tried besides", report::grouped(tried.executions))
                   : "");
  }
  return code;
}

}  // namespace heddle::cli
