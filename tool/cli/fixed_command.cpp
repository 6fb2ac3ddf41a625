// heddle fixed: is the bug of an artifact gone from a program that was changed since?
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "tool/artifact/artifact.h"
#include "tool/cli/commands.h"
#include "tool/cli/found_bug.h"
#include "tool/cli/help.h"
#include "tool/cli/preamble.h"
#include "tool/cli/progress_line.h"
#include "tool/cli/run_options.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/replay/still_there.h"
#include "tool/report/fixed.h"
#include "tool/run/interruption.h"

namespace heddle::cli {
namespace {

constexpr double kDefaultSeconds = 60;
constexpr std::size_t kMostOthers = 8;  // with artifacts

struct FixedOptions {
  std::string artifact, before, time, json;
  std::vector<std::string> program;
  FoundBugOptions found;
  std::optional<std::uint64_t> executions, seed;
  unsigned jobs = 0;
  bool trust = false;
};

std::optional<int> parse_fixed(const Arguments& arguments, FixedOptions& o) {
  CLI::App app(
      "Says whether the bug of an artifact is gone from a program that was changed since. It looks where the "
      "bug was, then near that, then everywhere, and tells how often it shows, before and now. Of another "
      "bug "
      "it tells, too; that does not change the answer.",
      "heddle fixed [options] ARTIFACT -- PROGRAM [ARGS…]");
  app.footer(
      "examples:\n"
      "  heddle fixed heddle-out/bug-1.heddle -- ./new_build\n"
      "  heddle fixed -t 5m --before ./old_build heddle-out/bug-1.heddle -- ./new_build\n"
      "  heddle fixed -n 100000 --json fixed.json bug-1.heddle -- ./new_build --once\n"
      "\n"
      "Without ARGS the program gets those of the artifact. It reads the artifact's standard input, too.\n"
      "exit codes: 0 gone, 66 still there, 1 nothing can be said, 2 bad artifact or program, 3 an error of "
      "heddle's own");
  app.add_option("artifact", o.artifact, "bug-N.heddle")->required()->type_name("ARTIFACT");
  app.add_option("-n,--executions", o.executions,
                 "random executions of each program, from which the rates come [what the time allows]")
      ->type_name("N")
      ->check(whole_number(1));
  app.add_option("-t,--time", o.time, "how long to look: 500ms, 10s, 5m; 0: no limit [60s without -n]")
      ->type_name("D")
      ->check(duration());
  app.add_option("-j,--jobs", o.jobs, "worker processes [the machine's cores]")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  app.add_option("--seed", o.seed, "the same seed, the same executions [printed]")
      ->type_name("S")
      ->check(whole_number());
  app.add_option("--before", o.before, "the program that the artifact was made with, if it has moved")
      ->type_name("FILE");
  app.add_flag("--trust-artifact", o.trust, "apply all variables of the artifact, and its directory");
  app.add_option("--json", o.json, "write the answer as JSON; - is standard output")->type_name("FILE");
  add_found_bug_options(app, o.found);
  app.add_flag("-q,--quiet", o.found.quiet, "only the verdict");
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) o.program.assign(dashes + 1, arguments.end());
  if (const auto code = parse_command(app, Arguments(arguments.begin(), dashes))) return code;
  if (o.program.empty())
    return complain(
        {"No program given. For example:\nheddle fixed heddle-out/bug-1.heddle -- ./new_build\n"
         "`heddle fixed --help` explains it."});
  return std::nullopt;
}

// With the artifact's input and variables, as `heddle replay --program` runs it.
Result<RecordedProgram> find_new_program(const Trace& original, const FixedOptions& o) {
  auto program = find_recorded_program(original, {o.program.front(), o.trust});
  if (!program) return program.error();
  if (o.program.size() > 1) program->target.argv = o.program;
  if (program->target.argv.empty()) program->target.argv = {o.program.front()};
  program->target.argv.front() = o.program.front();
  for (const std::string& text : program->left_out) warn(text);
  return program;
}

// The program of the artifact. That it is not there is no mistake: then only the rate of the new one is known.
std::optional<RecordedProgram> find_old_program(const Trace& original, const FixedOptions& o,
                                                std::string& why_not) {
  auto program = find_recorded_program(original, {o.before, false});
  if (program && !program->is_other_build) return std::move(*program);
  why_not = program ? "It is another build than that of the artifact." : program.error().message;
  if (o.before.empty())
    why_not =
        "The program of the artifact is not there any more, or was built anew. If it is elsewhere, name it: "
        "--before FILE.";
  return std::nullopt;
}

// Keeps what was found, and says where.
void keep_findings(const run::Target& target, const FixedOptions& o, replay::StillThere& result) {
  report::FixedAnswer& answer = result.answer;
  if (!result.found && result.others.empty()) return;
  FoundBugs found("fixed", o.found.output, target, answer.seed);
  if (result.found) {
    FoundBugOptions how = o.found;
    how.quiet = true;
    tell_found_bug(std::move(*result.found), target, how, found, result.executions);
    result.found = found.bugs().back().trace;
    answer.found_artifact = found.bugs().back().artifact;
  }
  for (run::FoundBug& other : result.others) {
    report::OtherBug& told = answer.others.emplace_back();
    told.count = other.count;
    told.trace = &other.trace;
    if (answer.others.size() <= kMostOthers)
      told.artifact = found.add(other.trace, result.executions).artifact;
  }
}

}  // namespace

int fixed_command(const Arguments& arguments) {
  FixedOptions options;
  if (const auto code = parse_fixed(arguments, options)) return *code;
  replay::StillThereOptions how;
  if (!options.time.empty()) {
    const auto seconds = parse_duration(options.time);
    if (!seconds) return complain(seconds.error());
    how.seconds = *seconds;
  } else if (!options.executions) {
    how.seconds = kDefaultSeconds;
  }
  auto artifact = read_artifact(options.artifact);
  if (!artifact) return complain(artifact.error());
  if (artifact->findings.empty() || artifact->findings.front().severity != Severity::kBug)
    return complain({options.artifact + " is not about a bug: there is nothing to look for."});
  auto program = find_new_program(*artifact, options);
  if (!program) return complain(program.error());
  std::string why_no_before;
  const auto before = find_old_program(*artifact, options, why_no_before);
  if (!before && !options.before.empty()) return complain({"--before: " + why_no_before});

  ProgressLine progress(!options.found.quiet && stderr_is_terminal());
  how.executions = options.executions;
  how.jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  how.seed = options.seed.value_or(seed_from_system());
  how.allowed_exits = options.found.allowed_exits;
  how.on_step = [&](const std::string& what) { progress.show("heddle: " + what + " …"); };
  how.on_progress = [&](const report::Progress& p) { progress.show(p); };
  begin_work(how.seconds);
  if (!options.found.quiet) fmt::print(stderr, "heddle: seed {}\n", how.seed);

  Result<Trace> original = *artifact;
  if (before) original = in_this_engine(before->target, std::move(*original));
  if (!original) original = std::move(*artifact);
  replay::StillThere result =
      replay::look_whether_still_there(program->target, before ? &before->target : nullptr, *original, how);
  progress.clear();
  report::FixedAnswer& answer = result.answer;
  answer.tool_version = HEDDLE_VERSION;
  answer.artifact = options.artifact;
  if (!before && !answer.is_same_build) answer.why_no_before = why_no_before;
  keep_findings(program->target, options, result);
  answer.found = result.found ? &*result.found : nullptr;

  fmt::print(stderr, "{}", options.found.quiet ? report::fixed_verdict(answer) : report::fixed_text(answer));
  int code = static_cast<int>(result.found ? ExitCode::kBug : ExitCode::kNoBug);
  if (result.error) code = complain(*result.error);
  if (options.json.empty()) return code;
  return after_output(code, write_text_file(options.json, report::fixed_json(answer)));
}

}  // namespace heddle::cli
