// heddle merge: a failure of production from many partial logs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "tool/cli/commands.h"
#include "tool/cli/found_bug.h"
#include "tool/cli/help.h"
#include "tool/cli/preamble.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/merge/replay/engine_oracle.h"
#include "tool/merge/store/gather.h"
#include "tool/record/path_log.h"
#include "tool/report/escape.h"
#include "tool/run/interruption.h"
#include "tool/run/time_limit.h"
#include "tool/search/production.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct MergeOptions {
  std::vector<std::string> logs, program;
  std::string metric = "dsim", strategy = "both", store, output = "heddle-out", time, timeout = "10s",
              killed = "fail";
  std::vector<int> allowed_exits;
  merge::SearchOptions search{.feedback = 16};
  bool any_build = false, any_input = false, watch = false, quiet = false, verbose = false,
       no_brute_force = false;
};

std::optional<int> parse_merge(const Arguments& arguments, MergeOptions& o) {
  CLI::App app(
      "Reproduces a failure from the logs of many runs of a program. Each run has recorded in which order "
      "threads came to some of the shared variables (`heddle record --vars` or `--blocks`).\n"
      "\n"
      "Logs that fit each other are merged. Executions then follow what the logs say, until one fails as the "
      "runs did. What no log says is left to chance.",
      "heddle merge [options] [LOGS…] -- PROGRAM [ARGS…]");
  app.footer(
      "examples:\n"
      "  heddle merge logs/ -- ./server --test\n"
      "  heddle merge --store postgresql://example.org/logs --watch logs/ -- ./server\n"
      "  heddle merge --strategy sgm --guided 0 --metric dhs logs/ -- ./server\n"
      "\n"
      "The result is an artifact as `heddle run` writes it: replay, minimize and explain it.\n"
      "exit codes: 66 reproduced, 1 not reproduced, 2 bad input (no failing log of this program), 3 an error "
      "of heddle's own");
  app.add_option("logs", o.logs, "files, and directories of files")->type_name("LOGS");
  app.add_option("--metric", o.metric, "what makes logs similar [dsim]")
      ->check(one_of({"psim", "dsim", "dhs"}));
  app.add_option("--strategy", o.strategy, "which logs are merged first; both: in turns [both]")
      ->check(one_of({"sgm", "dgm", "both"}));
  app.add_option("--attempts", o.search.attempts, "executions for each bug [500]")
      ->type_name("N")
      ->check(whole_number());
  app.add_option("--guided", o.search.guided,
                 "executions of a candidate that does not fit whole, or leaves something open [4]")
      ->type_name("N")
      ->check(whole_number());
  app.add_option(
         "--feedback", o.search.feedback,
         "executions of a candidate of block vectors, each with a race of one before turned round [16]")
      ->type_name("N")
      ->check(whole_number());
  app.add_flag("--no-brute-force", o.no_brute_force, "give up when the strategy has no more candidates");
  app.add_option("--seed", o.search.seed, "the seed of all random decisions [1]")
      ->type_name("S")
      ->check(whole_number());
  app.add_option("--store", o.store, "keep the logs for the next time: DIR, or postgresql://…")
      ->type_name("WHERE");
  app.add_option(
         "--killed", o.killed,
         "what a log without an end says: its run hung and was killed (fail), or nothing (skip) [fail]")
      ->check(one_of({"fail", "skip"}));
  app.add_flag("--any-build", o.any_build, "also logs of other builds");
  app.add_flag("--any-input", o.any_input,
               "also use logs of runs with other arguments, environment or standard input");
  app.add_flag("--watch", o.watch, "wait for new logs, and try again with them");
  app.add_option("-t,--time", o.time, "stop after this long: 30s, 2h [when all is tried]")
      ->type_name("D")
      ->check(duration());
  app.add_option("--timeout", o.timeout, "wall time of one execution [10s]")
      ->type_name("D")
      ->check(duration());
  app.add_option("--allow-exit", o.allowed_exits, "an exit status of the program that is no bug")
      ->type_name("STATUS")
      ->check(exit_status())
      ->take_all();
  app.add_option("-o,--output", o.output, "where artifacts go [heddle-out]")->type_name("DIR");
  app.add_flag("-v,--verbose", o.verbose, "every attempt");
  app.add_flag("-q,--quiet", o.quiet, "only errors");
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) o.program.assign(dashes + 1, arguments.end());
  if (const auto code = parse_command(app, Arguments(arguments.begin(), dashes))) return code;
  if (o.program.empty())
    return complain(
        {"No program given. For example:\nheddle merge logs/ -- ./server --test\n`heddle merge --help` "
         "explains it."});
  if (o.logs.empty() && o.store.empty())
    return complain(
        {"No logs given. Name files or folders before the --, or a store (--store).\n`heddle merge --help` "
         "explains it."});
  o.search.metric = o.metric == "psim"   ? merge::Metric::kPsim
                    : o.metric == "dsim" ? merge::Metric::kDsim
                                         : merge::Metric::kDhs;
  o.search.heuristic = o.strategy == "sgm"   ? merge::Heuristic::kSgm
                       : o.strategy == "dgm" ? merge::Heuristic::kDgm
                                             : merge::Heuristic::kBoth;
  o.search.brute_force = !o.no_brute_force;
  o.search.jobs = std::max(1u, std::thread::hardware_concurrency());
  return std::nullopt;
}

const char* verdict_name(merge::Verdict verdict) {
  switch (verdict) {
    case merge::Verdict::kReproduced:
      return "reproduced";
    case merge::Verdict::kInfeasible:
      return "infeasible";
    case merge::Verdict::kPassed:
      return "passed";
  }
  return "?";
}

std::string name_of(const std::string& place) {
  return place.empty() ? "the failure of killed runs" : "the failure at \"" + place + "\"";
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string in_words(const merge::SearchOutcome& outcome) {
  std::string text = outcome.reproduced ? fmt::format("was reproduced in attempt {}", outcome.attempts)
                                        : "was NOT reproduced in " + counted(outcome.attempts, "attempt");
  if (outcome.infeasible + outcome.passed != 0)
    text += fmt::format(" ({} infeasible, {} passed)", outcome.infeasible, outcome.passed);
  if (outcome.guided) text += ", by guided search";
  if (outcome.by_brute_force && !outcome.guided) text += ", by brute force";
  if (outcome.pruned != 0) text += fmt::format("; {} spared", counted(outcome.pruned, "candidate"));
  if (outcome.broken_off != 0)
    text +=
        fmt::format("; {} broken off that strayed from the log", counted(outcome.broken_off, "execution"));
  return text;
}

// All bugs of a store, each until it is reproduced.
class Merging {
 public:
  Merging(const MergeOptions& options, const run::Target& target, merge::LogStore& store, double seconds)
      : options_(options),
        target_(target),
        store_(store),
        seconds_(seconds),
        found_("merge", options.output, target, options.search.seed) {
    if (const auto tables = PathTables::read(target.path)) build_ = tables->build();
    run_ = search::run_identity(target);
  }

  // An error that is not about one bug.
  Status go_on();
  std::uint64_t reproduced() const { return reproduced_; }
  std::uint64_t bugs() const { return states_.size(); }

 private:
  struct State {
    std::uint64_t logs = 0;  // that the last attempt knew
    bool reproduced = false;
  };
  bool is_of_this_program(const merge::BugLogs& bug);
  bool is_of_this_input(const merge::BugLogs& bug);
  Status try_bug(const merge::BugLogs& bug, State& state);
  void keep(Trace trace, std::uint64_t executions);

  const MergeOptions& options_;
  const run::Target& target_;
  merge::LogStore& store_;
  double seconds_;
  std::uint64_t build_ = 0;  // of the program; 0: it does not tell
  std::uint64_t run_ = 0;    // of its arguments, environment and input
  std::map<std::pair<merge::RunKind, std::string>, State> states_;
  std::set<std::uint64_t> other_builds_, other_inputs_;  // that were told of
  std::uint64_t reproduced_ = 0;
  std::uint64_t executions_ = 0;  // of all attempts that ended with a bug reproduced
  FoundBugs found_;
};

Status Merging::go_on() {
  auto bugs = store_.bugs();
  if (!bugs) return bugs.error();
  for (const std::string& complaint : store_.take_complaints()) warn(complaint);
  for (const auto& bug : *bugs) {
    if (!is_of_this_program(*bug) || !is_of_this_input(*bug)) continue;
    State& state = states_[{bug->kind, bug->place}];
    if (state.reproduced || state.logs == bug->logs.failing_logs() || run::time_is_up()) continue;
    state.logs = bug->logs.failing_logs();
    if (auto tried = try_bug(*bug, state); !tried) return tried;
  }
  return Done{};
}

// Logs of another input say nothing of this one: there threads may do other things.
bool Merging::is_of_this_input(const merge::BugLogs& bug) {
  if (options_.any_input || bug.kind.run == run_) return true;
  if (other_inputs_.insert(bug.kind.run).second)
    warn(
        fmt::format("{} failing logs are of runs with other arguments, environment or standard input than "
                    "here, and skipped; "
                    "run this under what they were made with, or --any-input takes them.",
                    bug.logs.failing_logs()));
  return false;
}

bool Merging::is_of_this_program(const merge::BugLogs& bug) {
  if (build_ == 0 || build_ == bug.kind.build || options_.any_build) return true;
  if (other_builds_.insert(bug.kind.build).second)
    warn(fmt::format(
        "{} logs are of another build ({:016x}, not {:016x}) and skipped; --any-build takes them.",
        bug.logs.failing_logs(), bug.kind.build, build_));
  return false;
}

Status Merging::try_bug(const merge::BugLogs& bug, State& state) {
  const merge::LogSet& logs = bug.logs;
  if (!options_.quiet) {
    fmt::print(stderr,
               "heddle: {}: {} failing and {} passing logs, {} of {} elements, {} different vectors\n",
               report::escaped(name_of(bug.place)), logs.failing_logs(), logs.passing_logs(), logs.elements(),
               logs.universe(), logs.vectors());
  }
  merge::EngineOptions engine;
  engine.scheme = bug.kind.scheme;
  engine.place = bug.place;
  engine.seconds = seconds_;
  engine.allowed_exits = options_.allowed_exits;
  merge::EngineOracle oracle(target_, logs, store_.threads(), engine);
  merge::SearchOptions search = options_.search;
  if (bug.kind.scheme == AccessScheme::kVariables) search.feedback = 0;
  const auto outcome = merge::search(
      logs, oracle, search,
      [&](std::uint64_t number, const merge::Candidate& candidate, const merge::Attempt& attempt) {
        if (!options_.verbose) return;
        const auto open = std::ranges::count(candidate.vectors, merge::kNone);
        fmt::print(stderr, "heddle: attempt {}: {}{}\n", number, verdict_name(attempt.verdict),
                   open == 0 ? "" : fmt::format(", {} elements left open", open));
      });
  if (!outcome) return outcome.error();
  if (!options_.quiet) {
    fmt::print(stderr, "heddle: {} {}; logs ranked in {:.2f} s\n", report::escaped(name_of(bug.place)),
               in_words(*outcome), outcome->relevance_seconds);
    for (const auto& [message, count] : oracle.other_bugs())
      fmt::print(stderr, "heddle: seen on the way, {} times: {}\n", count, report::escaped(message));
  }
  state.reproduced = outcome->reproduced;
  if (!outcome->reproduced) return Done{};
  ++reproduced_;
  keep(*oracle.take_trace(), outcome->attempts);
  return Done{};
}

void Merging::keep(Trace trace, std::uint64_t executions) {
  trace.tool_version = HEDDLE_VERSION;
  executions_ += executions;
  FoundBugOptions how;
  how.no_minimize = true;  // as the instances ran; `heddle minimize` is there
  how.quiet = options_.quiet;
  tell_found_bug(std::move(trace), target_, how, found_, executions_);
}

}  // namespace

int merge_command(const Arguments& arguments) {
  MergeOptions options;
  if (const auto code = parse_merge(arguments, options)) return *code;
  auto seconds = parse_duration(options.timeout);
  if (!seconds) return complain(seconds.error());
  double watched = 0;
  if (!options.time.empty()) {
    auto time = parse_duration(options.time);
    if (!time) return complain(time.error());
    watched = *time;
  }
  auto program = find_given_program(options.program);
  if (!program) return complain(program.error());
  auto store = merge::LogStore::open(options.store);
  if (!store) return complain(store.error());
  merge::Gatherer gatherer(**store, options.logs);
  gatherer.on_skipped = warn;
  gatherer.killed_failed = options.killed == "fail";
  Merging merging(options, program->target, **store, *seconds);

  begin_work(watched);
  const auto began = Clock::now();
  while (true) {
    if (auto gathered = gatherer.gather(); !gathered) return complain(gathered.error());
    if (auto done = merging.go_on(); !done) return complain(done.error());
    const double so_far = std::chrono::duration<double>(Clock::now() - began).count();
    if (!options.watch || run::was_interrupted() || (watched > 0 && so_far >= watched)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  if (gatherer.unread() != 0) {
    const std::string unread = fmt::format(
        "{} logs were not read in the time given. Give more (--time), or fewer logs.", gatherer.unread());
    if (merging.reproduced() == 0) return complain({unread, ExitCode::kInconclusive});
    warn(unread);
  }
  if (merging.bugs() == 0)
    return complain({"There is no failing log among these: nothing to reproduce.", ExitCode::kBadInput});
  return static_cast<int>(merging.reproduced() != 0 ? ExitCode::kBug : ExitCode::kInconclusive);
}

}  // namespace heddle::cli
