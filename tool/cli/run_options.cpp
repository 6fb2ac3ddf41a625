#include "tool/cli/run_options.h"

#include <fmt/core.h>
#include <sys/random.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <map>
#include <thread>

#include "tool/cli/command_words.h"
#include "tool/cli/help.h"

namespace heddle::cli {
namespace {

constexpr const char* kRunDescription =
    "Runs PROGRAM again and again, each time under another schedule, until a bug is found or the time is up. "
    "Build the program with `heddle c++` (or `heddle cc`) first.\n"
    "\n"
    "A data race, failed assertion, abort, uncaught exception, fatal signal, deadlock, livelock, misuse of a "
    "mutex or thread, non-zero exit status, and whatever the program reports through <heddle/heddle.h> count "
    "as bugs. Every bug is written to DIR/bug-N.heddle, from which `heddle replay` runs it again.";

constexpr const char* kRunExamples =
    "examples:\n"
    "  heddle run -- ./test                        for 60 seconds, or until a bug\n"
    "  heddle run -n 10000 -j 4 -- ./test --fast   --fast is the program's\n"
    "  heddle run --seed 42 -n 500 -- ./test       the same executions every time\n"
    "  heddle run -n 1000 --max-failures 0 -- ./test     how often does it fail?\n"
    "\n"
    "exit codes: 0 no bug, 66 a bug was found, 1 inconclusive, 2 bad command line or program, 3 an error of "
    "heddle's own\n"
    "environment: HEDDLE_OPTIONS=\"k=v:k=v\" with the long option names; TSan's halt_on_error, exitcode, "
    "log_path, suppressions, verbosity, color and strip_path_prefix are understood";

// Words behind the program that would be options before it. They may be the program's own, so it gets them,
// and the user is told.
void tell_options_behind_program(CLI::App& app, const std::vector<std::string>& words,
                                 const RunCommand& command) {
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (name.size() < 2 || name[0] != '-' || app.get_option_no_throw(name) == nullptr) continue;
    warn(fmt::format(
        "{} stands behind {}, so the program gets it. Options of `heddle {}` stand before the program; "
        "a -- before the program says that this is meant.",
        name, words[0], command.name));
    return;
  }
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

// "`-n`, `--executions N`" of "-n,--executions".
std::string names_in_guide(const RunOptionRow& row) {
  std::string text;
  for (std::string_view rest = row.names; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view name = rest.substr(0, comma);
    const bool has_value = name.starts_with("--") && *row.value != '\0';
    text += fmt::format("{}`{}{}{}`", text.empty() ? "" : ", ", name, has_value ? " " : "",
                        has_value ? row.value : "");
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return text;
}

}  // namespace

std::uint64_t seed_from_system() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = static_cast<std::uint64_t>(getpid());
  return seed;
}

std::string run_options_in_guide() {
  constexpr std::pair<RunOptionGroup, const char*> kHeadings[] = {
      {RunOptionGroup::kHow, "How long, and how"},
      {RunOptionGroup::kProgram, "What a program may do"},
      {RunOptionGroup::kResults, "Results"}};
  std::string text;
  for (const auto& [group, heading] : kHeadings) {
    text += fmt::format("{}### {}\n\n| option | meaning | default |\n|---|---|---|\n",
                        text.empty() ? "" : "\n", heading);
    for (const RunOptionRow& row : run_option_rows(kRunCommand.default_seconds)) {
      if (row.group != group) continue;
      const std::string unless_given = *row.unless_given != '\0' ? fmt::format(" {}", row.unless_given) : "";
      text += fmt::format("| {} | {} |{} |\n", names_in_guide(row),
                          *row.meaning != '\0' ? row.meaning : row.help, unless_given);
    }
  }
  return text;
}

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
  app.option_defaults()->take_last();  // HEDDLE_OPTIONS first, the command line after it
  std::strncpy(options.campaign.spec.strategy, "auto", sizeof options.campaign.spec.strategy - 1);
  std::optional<Error> wrong;
  if (command.add_options) command.add_options(app);
  for (const RunOptionRow& row : run_option_rows(command.default_seconds))
    row.bind(RunOptionPlace(app, options, wrong, row.names, row.value, row.help));

  const char* variable = std::getenv("HEDDLE_OPTIONS");
  std::vector<std::string> all;
  if (variable != nullptr) all = words_of_option_variable(variable);
  all.insert(all.end(), arguments.begin(), arguments.end());
  const std::size_t own = count_option_words(app, all);
  options.program.assign(all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
  const bool has_dashes = !options.program.empty() && options.program[0] == "--";
  if (has_dashes) options.program.erase(options.program.begin());
  all.resize(own);
  const auto wish = take_words(app, all);
  if (!wish) {
    Error error = wish.error();
    if (variable != nullptr && *variable != '\0')
      error.message += fmt::format("\nThe options in HEDDLE_OPTIONS=\"{}\" count, too.", variable);
    return complain(error);
  }
  if (*wish != HelpWish::kNone) return show_help(app, *wish);
  if (options.program.empty())
    return complain(
        {fmt::format("No program given. For example:\nheddle {0} -- ./test\n`heddle {0} --help` "
                     "explains it.",
                     command.name)});
  if (wrong) return complain(*wrong);
  if (!has_dashes) tell_options_behind_program(app, options.program, command);
  if (app.count("--seed") == 0) options.campaign.spec.seed = seed_from_system();
  if (app.count("--time") == 0 && app.count("--executions") == 0)
    options.campaign.seconds = command.default_seconds;
  options.campaign.overlap = app.count("--jobs") != 0;
  if (!options.campaign.overlap) options.campaign.jobs = std::max(1u, std::thread::hardware_concurrency());
  // Each execution of an exhaustive search is derived from the one before it.
  if (std::string_view(options.campaign.spec.strategy).starts_with("exhaustive")) options.campaign.jobs = 1;
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
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    options.given.emplace_back(option->get_lnames()[0],
                               option->results().empty() ? "true" : option->results()[0]);
  }
  return std::nullopt;
}

}  // namespace heddle::cli
