// The options of `heddle run`: where each value goes, and one table of all of them. Parsing, --help,
// completion, the manual page, HEDDLE_OPTIONS and the tables of docs/guide/commands.md come from it. A new
// option is a row, and a member of RunOptions where no member of CampaignOptions or RunSpec is meant for it.
#pragma once

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/cli/choice_option.h"
#include "tool/cli/report_files.h"
#include "tool/cli/run_values.h"
#include "tool/cli/terminal.h"
#include "tool/findings/known_bugs.h"
#include "tool/run/campaign.h"

namespace heddle::cli {

struct RunOptions {
  run::CampaignOptions campaign;
  std::vector<std::string> program;
  std::vector<std::string> keep_variables;
  std::vector<std::string> visible;  // plain accesses that are choices
  std::string look_for;              // a log or an artifact
  ReportFiles reports;
  std::string strip_path_prefix, log_path;
  bool histogram = false;
  bool is_part = false;  // of several campaigns, whose table comes in the end; no option
  bool quiet = false;
  bool verbose = false;
  bool no_progress = false;
  bool verify_determinism = false;
  bool minimise = true;
  std::uint64_t consequences =
      std::numeric_limits<std::uint64_t>::max();  // executions that a race gets at most
  ColorWish color = ColorWish::kAuto;
  int bug_exit_code = static_cast<int>(ExitCode::kBug);
  std::vector<std::pair<std::string, std::string>> given;  // as written, for the report
};

// Heading of the guide under which an option stands.
enum class RunOptionGroup { kHow, kProgram, kResults };

// One option on its way into a command line. Errors that the command line's parser does not find are kept:
// the first of them is told when all else is in order.
class RunOptionPlace {
 public:
  RunOptionPlace(CLI::App& app, RunOptions& options, std::optional<Error>& wrong, const char* names,
                 const char* value, const std::string& help)
      : to(options), app_(app), wrong_(wrong), names_(names), value_(value), help_(help) {}

  CLI::App& app() const { return app_; }

  template <typename T>
  CLI::Option* value(T& destination) const {
    return named(app_.add_option(names_, destination, help_));
  }
  template <typename T>
  CLI::Option* list(T& destination) const {
    return value(destination)->take_all();
  }
  void flag(bool& destination) const { app_.add_flag(names_, destination, help_); }
  void flag_calls(const std::function<void()>& set) const { app_.add_flag_callback(names_, set, help_); }
  template <typename E>
  void choice(const Choices<E>& choices, E& destination) const {
    named(add_choice_option(app_, names_, choices, destination, help_));
  }
  // A text that `parse` understands, which answers a Result; `set` gets what it holds.
  template <typename Parse, typename Set>
  void parsed(Parse parse, Set set) const {
    const auto check = [parse](const std::string& text) {
      const auto result = parse(text);
      return result ? std::string() : result.error().message;
    };
    const auto use = [parse, set](const std::string& text) { set(*parse(text)); };
    named(app_.add_option_function<std::string>(names_, use, help_))->check(check);
  }
  // A text, or a list of them, for a function that answers a Status.
  template <typename T>
  CLI::Option* taken_by(const std::function<Status(const T&)>& take) const {
    const auto use = [take, &wrong = wrong_](const T& given) {
      if (const Status taken = take(given); !taken && !wrong) wrong = taken.error();
    };
    return named(app_.add_option_function<T>(names_, use, help_));
  }

  RunOptions& to;

 private:
  CLI::Option* named(CLI::Option* option) const { return option->type_name(value_); }

  CLI::App& app_;
  std::optional<Error>& wrong_;
  const char* names_;
  const char* value_;
  const std::string& help_;
};

struct RunOptionRow {
  RunOptionGroup group;
  const char* names;         // "-n,--executions"
  const char* value;         // "N"; empty: it takes none
  std::string help;          // of --help
  const char* meaning;       // in the guide; empty: as --help has it
  const char* unless_given;  // in the guide
  void (*bind)(const RunOptionPlace& place);
};

// In the order of --help. `default_seconds`: of one campaign, where neither -n nor -t is given.
inline std::vector<RunOptionRow> run_option_rows(double default_seconds) {
  using enum RunOptionGroup;
  using Place = RunOptionPlace;
  using Texts = std::vector<std::string>;
  return {
      {kHow, "-n,--executions", "N", "stop after N executions", "", "no limit",
       [](const Place& p) { p.value(p.to.campaign.executions)->check(whole_number(1)); }},
      {kHow, "-t,--time", "D", fmt::format("stop after this time: 30s, 5m [{}s without -n]", default_seconds),
       "stop after this time: `30s`, `5m`; `0`: never", "`60s` if `-n` is not given",
       [](const Place& p) {
         p.parsed(parse_duration, [&o = p.to](double seconds) { o.campaign.seconds = seconds; });
       }},
      {kHow, "-j,--jobs", "N", "worker processes [the machine's cores]",
       "number of worker processes. Without this option, executions of a program that writes files, binds a "
       "socket or starts other programs run one at a time",
       "the number of cores",
       [](const Place& p) { p.value(p.to.campaign.jobs)->check(whole_number(1, 1024)); }},
      {kHow, "-s,--strategy", "S", "see `heddle help strategies` [auto]",
       "how executions are chosen: [strategies.md](strategies.md)", "`auto`",
       [](const Place& p) {
         p.parsed(check_strategy,
                  [&o = p.to](const std::string& text) { set_strategy(text, o.campaign.spec); });
       }},
      {kHow, "--seed", "S", "the same seed, the same executions [printed]",
       "a number of 64 bits. The same seed, program and options give the same executions, whatever `-j` is",
       "from the system; it is printed",
       [](const Place& p) { p.value(p.to.campaign.spec.seed)->check(whole_number()); }},
      {kProgram, "--model", "M", "the memory model [c++20]",
       "the memory model: `c++20` (with LWG 3941 repaired), `c++20-words` (without), `c11tester` (the rules "
       "of that paper), "
       "`sc` (sequential consistency)",
       "`c++20`",
       [](const Place& p) {
         p.choice<ModelKind>({{"c++20", ModelKind::kCxx20},
                              {"c++20-words", ModelKind::kCxx20Words},
                              {"c11tester", ModelKind::kC11Tester},
                              {"sc", ModelKind::kSc}},
                             p.to.campaign.spec.model);
       }},
      {kProgram, "--volatile", "V", "what volatile accesses are [relaxed]",
       "how volatile accesses are treated: `relaxed`, `acqrel`, `plain`", "`relaxed`",
       [](const Place& p) {
         p.choice<VolatileKind>({{"relaxed", VolatileKind::kRelaxed},
                                 {"acqrel", VolatileKind::kAcqRel},
                                 {"plain", VolatileKind::kPlain}},
                                p.to.campaign.spec.volatile_kind);
       }},
      {kProgram, "--sleep", "S",
       "when a sleep ends: at any moment as others see it (free), or when they have done what they can "
       "(timed) [free]",
       "`free`: a sleep may end at any moment, since it orders nothing. `timed`: a sleep ends when the other "
       "threads have done what they can do before that time, and no timeout comes early. For tests that rely "
       "on "
       "sleeping",
       "`free`",
       [](const Place& p) {
         p.choice<SleepKind>({{"free", SleepKind::kFree}, {"timed", SleepKind::kTimed}},
                             p.to.campaign.spec.sleep);
       }},
      {kProgram, "--spurious", "N",
       "wake-ups and failures for no reason, and timeouts before their time, in one execution [4]",
       "how many spurious wake-ups and failures one execution may have, and how many early timeouts", "4",
       [](const Place& p) { p.value(p.to.campaign.spec.max_spurious)->check(whole_number(0, 1'000'000)); }},
      {kHow, "--max-failures", "N", "stop after N distinct bugs; 0: never for a bug [1]",
       "go on until N distinct bugs were found. 0: never stop for a bug, to measure rates", "1",
       [](const Place& p) { p.value(p.to.campaign.max_failures)->check(whole_number()); }},
      {kHow, "--visible", "WHAT",
       "plain accesses that are choices from the start: FILE:LINE, a global variable, or all; may be "
       "repeated",
       "plain accesses that are choices from the start: others may run before them. WHAT is FILE:LINE, the "
       "name "
       "of a global variable, or `all`. May be repeated",
       "those of races, when one was found", [](const Place& p) { p.list(p.to.visible); }},
      {kHow, "--look-for", "FILE", "only this failure counts: of an artifact, or of a log of a native run",
       "go on past all other bugs until the failure of FILE is found: an artifact, or a log that `heddle "
       "record` kept of a native run. Races that were found are choices from then on",
       "any bug", [](const Place& p) { p.value(p.to.look_for); }},
      {kHow, "--consequences", "N",
       "executions to see what a race leads to, at most; 0: none [100 to 1000, by the length of one]",
       "after a race: at most N executions in which its accesses are choices, to see what it leads to "
       "([findings.md](findings.md#what-a-race-leads-to)). 0: none. Not more than `-n`",
       "100 to 1,000, by the length of one",
       [](const Place& p) { p.value(p.to.consequences)->check(whole_number()); }},
      {kHow, "--max-steps", "N",
       "visible operations in one execution before it is brought to an end under a fair schedule and, if it "
       "still makes progress, cut [10000000]",
       "visible operations of one execution before it is scheduled fairly. A livelock is reported only if "
       "nothing "
       "changes after that; otherwise the execution is cut, which is no bug",
       "10000000", [](const Place& p) { p.value(p.to.campaign.spec.max_steps)->check(whole_number(1)); }},
      {kHow, "--timeout", "D", "wall time of one execution [10s]", "wall time of one execution", "`10s`",
       [](const Place& p) {
         p.parsed(parse_duration, [&o = p.to](double seconds) {
           o.campaign.spec.timeout_ns = static_cast<std::uint64_t>(seconds * 1e9);
         });
       }},
      {kHow, "--memory-limit", "SIZE", "bound on the execution graph [512M]",
       "bound on the memory for what heddle knows of one execution", "`512M`",
       [](const Place& p) {
         p.parsed(parse_size, [&o = p.to](std::uint64_t bytes) { o.campaign.spec.memory_limit = bytes; });
       }},
      {kProgram, "--prune", "P",
       "what to forget of a long execution: window:N (all but the last N stores of each location), "
       "conservative\n"
       "(only what nobody can read any more), aggressive:N (what is older than N stores) [window:63]",
       "what to forget of a long execution. `window:N` keeps the last N stores of each location, "
       "`conservative` "
       "keeps all that can still be read, `aggressive:N` forgets what is older than N stores. The summary "
       "says "
       "when something was forgotten",
       "`window:63`",
       [](const Place& p) {
         p.parsed(parse_prune, [&o = p.to](const Prune& prune) {
           o.campaign.spec.prune = prune.kind;
           o.campaign.spec.prune_window = prune.window;
         });
       }},
      {kProgram, "--allow-exit", "STATUS", "an exit status of the program that is no bug",
       "this exit status of the program is no bug", "",
       [](const Place& p) { p.list(p.to.campaign.allowed_exits)->check(exit_status()); }},
      {kProgram, "--warnings-as-bugs", "", "thread leaks and lock-order inversions count as bugs",
       "warnings count as bugs for the exit code", "off",
       [](const Place& p) { p.flag(p.to.campaign.warnings_as_bugs); }},
      {kProgram, "--suppressions", "FILE", "what not to report: `heddle help suppressions`",
       "findings to leave out, in ThreadSanitizer's format. May be repeated", "",
       [](const Place& p) {
         p.taken_by<Texts>([&o = p.to](const Texts& files) -> Status {
            for (const std::string& file : files) {
              if (auto added = o.campaign.suppressions.add_file(file); !added) return added.error();
            }
            return Done{};
          })->take_all();
       }},
      {kResults, "--keep-env", "NAME",
       "an environment variable to keep with a bug, besides those that the program asks for by name; may be "
       "repeated",
       "an environment variable to keep with a bug. Variables that the program reads by name are kept "
       "anyway. "
       "`replay` restores them. May be repeated",
       "", [](const Place& p) { p.list(p.to.keep_variables); }},
      {kProgram, "--trust-library", "NAME",
       "libraries not built by heddle that hand data between threads (libtbb, libabsl): whatever came before "
       "a\n"
       "call into one happens before what follows a later return from it. NAME is looked for in the "
       "library's\n"
       "file name and soname, or in its path if it has a / in it; *, ^ and $ as in suppressions; may be "
       "repeated",
       "a library that was built without heddle and hands data between threads, for example `tbb`. Calls "
       "into it "
       "order memory accesses ([memory-model.md](memory-model.md#libraries-without-instrumentation)). NAME "
       "is "
       "searched in the library's file name and soname, or in its path if NAME contains `/`. `*`, `^` and "
       "`$` work "
       "as in suppressions. May be repeated",
       "",
       [](const Place& p) {
         p.taken_by<Texts>([&o = p.to](const Texts& names) {
            return set_trusted_libraries(names, o.campaign.spec);
          })->take_all();
       }},
      {kResults, "-o,--output", "DIR", "where artifacts go [heddle-out]",
       "the folder for artifacts and the campaign's report "
       "([reports.md](reports.md#the-folder-of-campaigns))",
       "`heddle-out`", [](const Place& p) { p.value(p.to.campaign.output_directory); }},
      {kResults, "--json,--sarif,--junit,--html", "FILE", "",
       "write a report; `-` is standard output ([reports.md](reports.md))", "",
       [](const Place& p) { add_report_options(p.app(), p.to.reports); }},
      {kResults, "--known", "DIR",
       "a directory with artifacts of bugs that are known, also after edits of the program: the end says "
       "what is "
       "new,\n"
       "known and gone, and only what is new leads to exit code 66; may be repeated",
       "bugs of the artifacts in DIR are known: they get no artifact and do not lead to exit code 66. At the "
       "end "
       "it says "
       "what is new, what is known and what is gone ([below](#known-bugs)). May be repeated",
       "",
       [](const Place& p) {
         p.taken_by<Texts>([&o = p.to](const Texts& folders) -> Status {
            for (const std::string& folder : folders) {
              if (auto added = add_known_bugs(folder, o.campaign.known); !added) return added.error();
            }
            o.campaign.has_known = true;
            return Done{};
          })->take_all();
       }},
      {kResults, "--all-events", "",
       "keep all events of a long execution in its artifact, and not only those around what was found",
       "keep all events of a long execution in its artifact", "those around the finding",
       [](const Place& p) {
         p.flag_calls([&o = p.to] { o.campaign.kept_events = std::numeric_limits<std::size_t>::max(); });
       }},
      {kResults, "--no-minimize", "", "keep executions that show bugs as they were found",
       "keep the execution as it was found", "it is made smaller, for at most 2 s",
       [](const Place& p) { p.flag_calls([&o = p.to] { o.minimise = false; }); }},
      {kResults, "--histogram", "", "count what the program gave to heddle_outcome(\"…\")",
       "count the outcomes that the program gave to `heddle_outcome`", "off",
       [](const Place& p) { p.flag(p.to.histogram); }},
      {kHow, "--verify-determinism", "",
       "run each execution again, with events and by its choices; report what differs [-n 20]",
       "check that executions repeat: run each one again with events and by its choices, and report the "
       "first "
       "difference. Exit code 3 if heddle is at fault. Without `-n` it tries 20 executions",
       "off", [](const Place& p) { p.flag(p.to.verify_determinism); }},
      {kResults, "--strip-path-prefix", "PREFIX", "shorten file names in reports", "", "",
       [](const Place& p) { p.value(p.to.strip_path_prefix); }},
      {kResults, "--exit-code", "N", "exit code when a bug was found [66]", "exit code when a bug was found",
       "66", [](const Place& p) { p.value(p.to.bug_exit_code)->check(exit_status()); }},
      {kResults, "--log-path", "FILE", "write the text report to this file instead of standard error", "", "",
       [](const Place& p) { p.value(p.to.log_path); }},
      {kHow, "--repetition", "HOW",
       "how executions come back to the start: fork (a process each), copy or track (memory put back in "
       "process: all of it, or what was written); -v says which it was and why [auto]",
       "how heddle returns to the start of the program: `auto`, `fork` (a process for each execution), "
       "`copy` or "
       "`track` (memory is put back in the same process). `-v` says which way was taken and why",
       "`auto`",
       [](const Place& p) {
         p.choice<RepetitionKind>({{"auto", RepetitionKind::kAuto},
                                   {"fork", RepetitionKind::kFork},
                                   {"copy", RepetitionKind::kCopy},
                                   {"track", RepetitionKind::kTrack}},
                                  p.to.campaign.spec.repetition);
       }},
      {kResults, "-q,--quiet", "", "findings only", "", "", [](const Place& p) { p.flag(p.to.quiet); }},
      {kResults, "-v,--verbose", "", "say more", "", "", [](const Place& p) { p.flag(p.to.verbose); }},
      {kResults, "--color", "WHEN", "", "`auto`, `always`, `never`", "`auto`",
       [](const Place& p) { add_color_option(p.app(), p.to.color); }},
      {kResults, "--no-progress", "", "no progress line", "", "shown on a terminal only",
       [](const Place& p) { p.flag(p.to.no_progress); }},
  };
}

}  // namespace heddle::cli
