#include "tool/cli/help.h"

#include <fmt/core.h>

#include "compiler/compile_command.h"
#include "tool/cli/commands.h"
#include "tool/cli/pager.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

// While pages are collected, where show_help() puts them. The process has one command line, and one help.
CommandPage* collecting = nullptr;

// The subcommand that was named, if there was one.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// "lin check" of "heddle lin check [options] FILE".
std::string page_name(const CLI::App& app) {
  constexpr std::string_view kFirst = "heddle ";
  const std::string name = command_name(app);
  return name.starts_with(kFirst) ? name.substr(kFirst.size()) : name;
}

// The page that a command shows when it is called with these words.
CommandPage collect(const CommandLine& command, const Arguments& words) {
  CommandPage page;
  collecting = &page;
  command.run(words);
  collecting = nullptr;
  return page;
}

std::string_view everyday_options(const std::string& page) {
  // Subcommands with many options.
  if (page == "lin run") return "--no-localize --check -n -t -j -s --seed -o";
  for (const CommandLine& command : command_lines()) {
    if (page == command.name) return command.everyday;
  }
  return "";
}

}  // namespace

int show_help(const CLI::App& app, HelpWish wish) {
  const CLI::App& shown = innermost(app);
  CommandPage page = page_of(shown, page_name(shown));
  if (collecting != nullptr) {
    *collecting = std::move(page);
  } else if (wish == HelpWish::kAll) {
    show_paged(whole_help(page));
  } else {
    fmt::print("{}", everyday_help(page, everyday_options(page.name)));
  }
  return 0;
}

std::optional<int> parse_command(CLI::App& app, const std::vector<std::string>& arguments) {
  const auto wish = take_words(app, arguments);
  if (!wish) return complain(wish.error());
  if (*wish != HelpWish::kNone) return show_help(app, *wish);
  return std::nullopt;
}

const std::vector<CommandLine>& command_lines() {
  static const std::vector<CommandLine> kLines = {
      {"cc", "compile and link C: a drop-in for cc (CC=\"heddle cc\" cmake …)",
       [](const Arguments& arguments) { return compiler::compile_command(false, arguments); }, "", true},
      {"c++", "compile and link C++: a drop-in for c++ (CXX=\"heddle c++\" …)",
       [](const Arguments& arguments) { return compiler::compile_command(true, arguments); }, "", true},
      {"run", "run a program under many schedules until a bug is found", run_command,
       "-n -t -j -s --seed --max-failures --suppressions -o --html -q -v", true},
      {"test", "the same for each test case of a GoogleTest program", test_command,
       "-n -t -j --seed --suppressions -o --junit --html -q -v", true},
      {"replay", "run the execution of a found bug again", replay_command,
       "--gdb --times --until-event --program -q", true},
      {"explain", "say why a found bug happens, and what to change", explain_command,
       "-t -n -j --html --program -q", true},
      {"fixed", "say whether a found bug is gone from a changed program", fixed_command,
       "-n -t -j --before --json -o -q", true},
      {"show", "print what is in an artifact: findings, trace, output", show_command, "", true},
      {"report", "make reports of a campaign: HTML, SARIF, JUnit, JSON", report_command, "", true},
      {"minimize", "make the execution of a found bug smaller", minimize_command, "-o -t --program -q"},
      {"lin", "test whether a concurrent object is linearizable", lin_command},
      {"search", "find bugs that have not happened yet, near runs that passed", search_command,
       "--from --runs -n -t --seed -o -v -q"},
      {"record", "run a program natively and log what its threads do", record_command,
       "--path --vars --blocks -d --share --show --profile -q"},
      {"reconstruct", "from the path log of one run, an execution with the same paths", reconstruct_command,
       "-n -t --seed -o -q"},
      {"merge", "reproduce a failure of production from logs of many runs", merge_command,
       "--store --attempts --watch -t --timeout --seed -o -v -q"},
      {"bench", "known questions, and what each shows beside what is expected", bench_command},
      {"completion", "what makes a shell complete heddle's commands and options", completion_command},
      {"man", "the manual page of a command", man_command},
      {"help", "explain a command or a topic", help_command},
  };
  return kLines;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandLine& command : command_lines()) names.emplace_back(command.name);
  return names;
}

CommandPage command_page(const CommandLine& command) {
  CommandPage page;
  page.name = command.name;
  // The compilers' options are not ours.
  if (page.name == "cc" || page.name == "c++") {
    page.usage = fmt::format("heddle {} [--full] [--compiler=COMMAND] ARGUMENTS-OF-THE-COMPILER…", page.name);
    page.description = command.summary;
    page.options.push_back(
        {{"--compiler"}, "COMMAND", "the compiler to call [$HEDDLE_CC, $HEDDLE_CXX, cc, c++]", {}});
    page.options.push_back(
        {{"--full"}, "", "also what search, record, reconstruct, merge and explain's solver need", {}});
    return page;
  }
  page = collect(command, {"--help"});
  for (CommandPage& sub : page.subcommands) {
    const std::string summary = sub.description;
    sub = collect(command, {sub.name.substr(sub.name.rfind(' ') + 1), "--help"});
    sub.summary = summary;
  }
  return page;
}

std::vector<CommandPage> command_pages() {
  std::vector<CommandPage> pages;
  for (const CommandLine& command : command_lines()) pages.push_back(command_page(command));
  return pages;
}

}  // namespace heddle::cli
