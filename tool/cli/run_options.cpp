#include "tool/cli/run_options.h"

#include <fmt/core.h>
#include <sys/random.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <thread>

#include "core/trace/strategy_spec.h"
#include "tool/cli/help.h"
#include "tool/findings/known_bugs.h"
#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

constexpr const char* kRunDescription =
    "Runs PROGRAM again and again, each time under a schedule chosen by a strategy, until a bug is found or "
    "the budget\n"
    "is spent. Build the program with `heddle c++` (or `heddle cc`) first.\n"
    "\n"
    "A data race, failed assertion, abort, uncaught exception, fatal signal, deadlock, livelock, misuse of a "
    "mutex or\n"
    "thread, non-zero exit status, and whatever the program reports through <heddle/heddle.h> count as "
    "bugs.\n"
    "Every bug is written to DIR/bug-N.heddle, from which `heddle replay` runs it again.";

constexpr const char* kRunExamples =
    "examples:\n"
    "  heddle run -- ./test                        for 60 seconds, or until a bug\n"
    "  heddle run -n 10000 -j 4 -- ./test --fast   10,000 executions with 4 workers; --fast is the "
    "program's\n"
    "  heddle run -n 1000 --max-failures 0 --json - -- ./test    how often does it fail?\n"
    "  heddle run --seed 42 -n 500 -- ./test       the same executions every time\n"
    "\n"
    "exit codes: 0 no bug, 66 a bug was found, 1 inconclusive, 2 bad command line or program, 3 an error of "
    "heddle's own\n"
    "environment: HEDDLE_OPTIONS=\"k=v:k=v\" with the long option names; TSan's halt_on_error, exitcode, "
    "log_path,\n"
    "suppressions, verbosity, color and strip_path_prefix are understood";

std::uint64_t seed_from_system() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = static_cast<std::uint64_t>(getpid());
  return seed;
}

// Empty, or what is wrong with it.
std::string strategy_check(const std::string& text) {
  if (text.size() >= sizeof(RunSpec{}.strategy)) return "The strategy's parameters are too long.";
  StrategySpec spec;
  TextBuffer<512> error;
  return spec.parse(text.c_str(), error) ? std::string() : error.c_str();
}

std::string strategy_help() {
  std::string text = "how executions are chosen [auto]:\n";
  for (const StrategyKind& kind : strategy_kinds()) {
    text += fmt::format("  {:<11}{}\n", kind.name, kind.summary);
    for (const StrategyParameter& p : kind.parameters) {
      if (p.key != nullptr) text += fmt::format("             {}=N  {}\n", p.key, p.meaning);
    }
  }
  return text + "for example -s pctwm:d=2,h=1";
}

// CLI11 validators answer an empty string when all is well.
std::string duration_check(const std::string& text) {
  const auto result = parse_duration(text);
  return result ? std::string() : result.error().message;
}
std::string size_check(const std::string& text) {
  const auto result = parse_size(text);
  return result ? std::string() : result.error().message;
}

std::string prune_check(const std::string& text) {
  const auto result = parse_prune(text);
  return result ? std::string() : result.error().message;
}

struct Words {
  std::string time, timeout = "10s", strategy = "auto", model = "c++20", volatiles = "relaxed",
                    sleep = "free", memory_limit = "512M", prune, repetition = "auto", color = "auto";
  std::vector<std::string> suppressions, trusted_libraries, known;
  std::uint64_t executions = 0, seed = 0, max_failures = 1, max_steps = RunSpec{}.max_steps;
  std::uint32_t spurious = RunSpec{}.max_spurious;
  unsigned jobs = 0;
  int exit_code = static_cast<int>(ExitCode::kBug);
};

void define(CLI::App& app, RunOptions& o, Words& w, double default_seconds) {
  app.option_defaults()->take_last();  // HEDDLE_OPTIONS first, the command line after it
  app.add_option("-n,--executions", w.executions, "stop after N executions")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("-t,--time", w.time,
                 fmt::format("stop after this long, for example 30s or 5m [{}s without -n]", default_seconds))
      ->type_name("D")
      ->check(duration_check);
  app.add_option("-j,--jobs", w.jobs, "worker processes [the machine's cores]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u));
  app.add_option("-s,--strategy", w.strategy, strategy_help())->type_name("S");
  app.add_option("--seed", w.seed, "64-bit seed [from the system, and printed]")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--model", w.model, "memory model: c++20, c11tester, sc [c++20]")
      ->type_name("M")
      ->check(CLI::IsMember({"c++20", "c11tester", "sc"}));
  app.add_option("--volatile", w.volatiles, "volatile accesses are: relaxed, acqrel, plain [relaxed]")
      ->type_name("V")
      ->check(CLI::IsMember({"relaxed", "acqrel", "plain"}));
  app.add_option("--sleep", w.sleep,
                 "a sleep ends: free (at any moment as others see it), timed (when they have done what they "
                 "can) [free]")
      ->type_name("S")
      ->check(CLI::IsMember({"free", "timed"}));
  app.add_option("--spurious", w.spurious,
                 "wake-ups and failures for no reason, and timeouts before their time, in one execution [4]")
      ->type_name("N")
      ->check(CLI::Range(0u, 1'000'000u));
  app.add_option("--max-failures", w.max_failures, "go on until N distinct bugs; 0: never stop for a bug [1]")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--max-steps", w.max_steps,
                 "visible operations in one execution before it is brought to an end under a fair schedule "
                 "and, if it\n"
                 "still makes progress, cut [10000000]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  app.add_option("--timeout", w.timeout, "wall time of one execution [10s]")
      ->type_name("D")
      ->check(duration_check);
  app.add_option("--memory-limit", w.memory_limit, "bound on the execution graph [512M]")
      ->type_name("SIZE")
      ->check(size_check);
  app.add_option(
         "--prune", w.prune,
         "what to forget of a long execution: window:N (all but the last N stores of each location), "
         "conservative\n"
         "(only what nobody can read any more), aggressive:N (what is older than N stores) [window:63]")
      ->type_name("P")
      ->check(prune_check);
  app.add_option("--allow-exit", o.campaign.allowed_exits, "an exit status of the program that is no bug")
      ->type_name("STATUS")
      ->take_all();
  app.add_flag("--warnings-as-bugs", o.campaign.warnings_as_bugs,
               "thread leaks and lock-order inversions count as bugs");
  app.add_option("--suppressions", w.suppressions,
                 "findings that are not to be told, in ThreadSanitizer's file format; may be repeated")
      ->type_name("FILE")
      ->take_all();
  app.add_option("--keep-env", o.keep_variables,
                 "an environment variable to keep with a bug, besides those that the program asks for by "
                 "name; may be repeated")
      ->type_name("NAME")
      ->take_all();
  app.add_option(
         "--trust-library", w.trusted_libraries,
         "libraries not built by heddle that hand data between threads (libtbb, libabsl): whatever came "
         "before a\n"
         "call into one happens before what follows a later return from it. NAME is looked for in the "
         "library's\n"
         "file name and soname, or in its path if it has a / in it; *, ^ and $ as in suppressions; may "
         "be repeated")
      ->type_name("NAME")
      ->take_all();
  app.add_option("-o,--output", o.campaign.output_directory, "where artifacts go [heddle-out]")
      ->type_name("DIR");
  add_report_options(app, o.reports);
  app.add_option(
         "--known", w.known,
         "a directory with artifacts of bugs that are known: they are shown as such, and are no reason for "
         "exit\ncode 66; may be repeated")
      ->type_name("DIR")
      ->take_all();
  app.add_flag_callback(
      "--all-events", [&o] { o.campaign.kept_events = std::numeric_limits<std::size_t>::max(); },
      "keep all events of a long execution in its artifact, and not only those around what was found");
  app.add_flag_callback(
      "--no-minimize", [&o] { o.minimise = false; }, "keep executions that show bugs as they were found");
  app.add_flag("--histogram", o.histogram, "count what the program gave to heddle_outcome(\"…\")");
  app.add_flag("--verify-determinism", o.verify_determinism,
               "run each execution again, with events and by its choices; report what differs [-n 20]");
  app.add_option("--strip-path-prefix", o.strip_path_prefix, "shorten file names in reports")
      ->type_name("PREFIX");
  app.add_option("--exit-code", w.exit_code, "exit code when a bug was found [66]")->type_name("N");
  app.add_option("--log-path", o.log_path, "write the text report to this file instead of standard error")
      ->type_name("FILE");
  app.add_option("--repetition", w.repetition,
                 "how executions come back to the start: auto, fork (a process each), copy or track (memory "
                 "put back\n"
                 "in process: all of it, or what was written); -v says which it was and why [auto]")
      ->type_name("HOW")
      ->check(CLI::IsMember({"auto", "fork", "copy", "track"}));
  app.add_flag("-q,--quiet", o.quiet, "findings only");
  app.add_flag("-v,--verbose", o.verbose, "say more");
  app.add_option("--color", w.color, "auto, always, never [auto]")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--no-progress", o.no_progress, "no progress line");
}

// Our own options end at `--` or at the first word that is none; what follows is the program's, untouched.
std::size_t count_own_words(const CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || word.size() < 2 || word[0] != '-') return i;
    const CLI::Option* option = app.get_option_no_throw(word);
    if (option != nullptr && option->get_expected_min() > 0) ++i;
  }
  return words.size();
}

// Templates for the runtime, one in each line.
Status set_trusted_libraries(const std::vector<std::string>& names, RunSpec& spec) {
  std::string lines;
  for (const std::string& name : names) {
    if (name.empty() || name.find('\n') != std::string::npos)
      return Error{"--trust-library needs the name of a library, or a part of it."};
    lines += (lines.empty() ? "" : "\n") + name;
  }
  if (names.size() > kMaxTrustedLibraries || lines.size() >= sizeof spec.trusted_libraries) {
    return Error{fmt::format("--trust-library takes at most {} names of {} characters together.",
                             kMaxTrustedLibraries, sizeof spec.trusted_libraries - 1)};
  }
  std::strncpy(spec.trusted_libraries, lines.c_str(), sizeof spec.trusted_libraries - 1);
  return Done{};
}

void fill_spec(const Words& w, RunOptions& o) {
  RunSpec& spec = o.campaign.spec;
  spec.max_steps = w.max_steps;
  spec.timeout_ns = static_cast<std::uint64_t>(*parse_duration(w.timeout) * 1e9);
  spec.memory_limit = *parse_size(w.memory_limit);
  spec.repetition = w.repetition == "fork"    ? RepetitionKind::kFork
                    : w.repetition == "copy"  ? RepetitionKind::kCopy
                    : w.repetition == "track" ? RepetitionKind::kTrack
                                              : RepetitionKind::kAuto;
  if (!w.prune.empty()) {
    const Prune prune = *parse_prune(w.prune);
    spec.prune = prune.kind;
    spec.prune_window = prune.window;
  }
  spec.model = w.model == "sc"          ? ModelKind::kSc
               : w.model == "c11tester" ? ModelKind::kC11Tester
                                        : ModelKind::kCxx20;
  spec.volatile_kind = w.volatiles == "plain"    ? VolatileKind::kPlain
                       : w.volatiles == "acqrel" ? VolatileKind::kAcqRel
                                                 : VolatileKind::kRelaxed;
  spec.max_spurious = w.spurious;
  spec.sleep = w.sleep == "timed" ? SleepKind::kTimed : SleepKind::kFree;
  std::strncpy(spec.strategy, w.strategy.c_str(), sizeof spec.strategy - 1);
}

// What lies between two separators, without quotes; a value with a separator in it is quoted, as for
// ThreadSanitizer.
std::string next_entry(const std::string& text, std::size_t& at) {
  std::string entry;
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && (c == ':' || c == ' ')) break;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      entry += c;
    }
  }
  ++at;
  return entry;
}

}  // namespace

std::vector<std::string> words_of_option_variable(const std::string& text) {
  static const std::map<std::string, std::string> kTsanNames = {
      {"exitcode", "exit-code"}, {"log_path", "log-path"}, {"strip_path_prefix", "strip-path-prefix"}};
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string entry = next_entry(text, at);
    if (entry.empty()) continue;
    const std::size_t equals = entry.find('=');
    std::string name = entry.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : entry.substr(equals + 1);
    if (name == "halt_on_error") {
      words.push_back("--max-failures=" + std::string(value == "0" ? "0" : "1"));
    } else if (name == "verbosity") {
      if (value != "0") words.push_back("--verbose");
    } else if (name == "help") {
      if (value == "1") words.push_back("--help");
    } else {
      const auto translated = kTsanNames.find(name);
      if (translated != kTsanNames.end()) name = translated->second;
      std::replace(name.begin(), name.end(), '_', '-');
      words.push_back("--" + name + (equals == std::string::npos ? "" : "=" + value));
    }
  }
  return words;
}

const RunCommand kRunCommand = {"run", "heddle run [options] [--] PROGRAM [ARGS…]", kRunDescription,
                                kRunExamples, 60};

std::optional<int> parse_run_options(const std::vector<std::string>& arguments, RunOptions& options,
                                     const RunCommand& command) {
  CLI::App app(command.description, command.usage);
  app.footer(command.examples);
  Words words;
  define(app, options, words, command.default_seconds);

  std::vector<std::string> all;
  if (const char* variable = std::getenv("HEDDLE_OPTIONS")) all = words_of_option_variable(variable);
  all.insert(all.end(), arguments.begin(), arguments.end());
  const std::size_t own = count_own_words(app, all);
  options.program.assign(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
  if (!options.program.empty() && options.program[0] == "--") options.program.erase(options.program.begin());
  all.resize(own);
  try {
    std::vector<std::string> reversed(all.rbegin(), all.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return show_help(app);
    fmt::print(stderr, "heddle {0}: {1}\n`heddle {0} --help` lists the options.\n", command.name,
               report::escaped(error.what()));
    return static_cast<int>(ExitCode::kBadInput);
  }
  if (options.program.empty()) return complain({std::string("No program given. Usage: ") + command.usage});
  if (const std::string wrong = strategy_check(words.strategy); !wrong.empty()) return complain({wrong});
  fill_spec(words, options);
  if (auto set = set_trusted_libraries(words.trusted_libraries, options.campaign.spec); !set)
    return complain(set.error());
  for (const std::string& file : words.suppressions) {
    if (auto added = options.campaign.suppressions.add_file(file); !added) return complain(added.error());
  }
  for (const std::string& directory : words.known) {
    if (auto added = add_known_bugs(directory, options.campaign.known); !added)
      return complain(added.error());
  }
  options.campaign.spec.seed = app.count("--seed") != 0 ? words.seed : seed_from_system();
  if (words.executions != 0) options.campaign.executions = words.executions;
  if (!words.time.empty()) options.campaign.seconds = *parse_duration(words.time);
  if (words.time.empty() && words.executions == 0) options.campaign.seconds = command.default_seconds;
  options.campaign.overlap = words.jobs != 0;
  options.campaign.jobs = words.jobs != 0 ? words.jobs : std::max(1u, std::thread::hardware_concurrency());
  // Each execution of an exhaustive search is derived from the one before it.
  if (words.strategy.rfind("exhaustive", 0) == 0) options.campaign.jobs = 1;
  if (options.campaign.executions) {
    options.campaign.jobs =
        static_cast<unsigned>(std::min<std::uint64_t>(options.campaign.jobs, *options.campaign.executions));
  }
  // Workers that allocate without end must not take the machine down: half of memory is for all of them
  // together.
  const auto memory =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  // Shadow memory comes to half as much again, and a finding is run once more beside the workers.
  options.campaign.spec.address_space_limit = memory / 3 / (options.campaign.jobs + 1);
  options.campaign.max_failures = words.max_failures;
  options.bug_exit_code = words.exit_code;
  options.color = words.color == "always"  ? ColorWish::kAlways
                  : words.color == "never" ? ColorWish::kNever
                                           : ColorWish::kAuto;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    options.given.emplace_back(option->get_lnames()[0],
                               option->results().empty() ? "true" : option->results()[0]);
  }
  return std::nullopt;
}

}  // namespace heddle::cli
