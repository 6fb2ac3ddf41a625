#include "tool/cli/help.h"

#include <fmt/core.h>

#include <algorithm>

#include "compiler/compile_command.h"
#include "tool/cli/commands.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

// While pages are collected, where show_help() puts them. The process has one command line, and one help.
CommandPage* collecting = nullptr;

// CLI11 writes a type with what its validator allows behind it: "WHEN:{auto,always,never}".
OptionLine line_of(const CLI::Option& option) {
  OptionLine line;
  for (const std::string& name : option.get_snames()) line.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) line.names.push_back("--" + name);
  if (line.names.empty()) line.names.push_back(option.get_name(true));
  line.text = option.get_description();
  if (option.get_items_expected_max() == 0) return line;
  const std::string type = option.get_type_name();
  line.value = type.substr(0, type.find(':'));
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return line;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    line.choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return line;
}

CommandPage page_of(const CLI::App& app, const std::string& name) {
  CommandPage page;
  page.name = name;
  page.description = app.get_description();
  page.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    const bool positional = option->get_lnames().empty() && option->get_snames().empty();
    (positional ? page.positionals : page.options).push_back(line_of(*option));
  }
  page.usage = app.get_name();
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    page.subcommands.push_back(page_of(*sub, name + " " + sub->get_name()));
  return page;
}

}  // namespace

int show_help(const CLI::App& app) {
  if (collecting != nullptr) {
    *collecting = page_of(app, collecting->name);
  } else {
    fmt::print("{}", app.help());
  }
  return 0;
}

std::optional<int> parse_command(CLI::App& app, const std::vector<std::string>& arguments) {
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return show_help(app);
    return complain({fmt::format("{} `{} --help` lists the options.", error.what(), app.get_name())});
  }
  return std::nullopt;
}

const std::vector<CommandLine>& command_lines() {
  static const std::vector<CommandLine> kLines = {
      {"cc", "compile and link C: a drop-in for cc (CC=\"heddle cc\" cmake …)",
       [](const Arguments& arguments) { return compiler::compile_command(false, arguments); }},
      {"c++", "compile and link C++: a drop-in for c++ (CXX=\"heddle c++\" cmake …)",
       [](const Arguments& arguments) { return compiler::compile_command(true, arguments); }},
      {"run", "run a program under many schedules until a bug is found or the budget is spent", run_command},
      {"test", "the same for each test case of a GoogleTest program", test_command},
      {"replay", "run the execution of a found bug again", replay_command},
      {"record", "run a program natively and log what its threads do", record_command},
      {"minimize", "make the execution of a found bug smaller, and mark what it cannot do without",
       minimize_command},
      {"explain", "say why a found bug happens: beside an execution that passes, and what to change",
       explain_command},
      {"reconstruct", "from the path log of one run, an execution that takes the same paths",
       reconstruct_command},
      {"search", "find bugs that have not happened yet, near runs that passed", search_command},
      {"show", "print what is in an artifact: findings, trace, output", show_command},
      {"report", "make reports of a campaign: HTML, SARIF, JUnit, JSON", report_command},
      {"merge", "reproduce a failure of production from partial logs of many runs", merge_command},
      {"lin", "linearizability: judge a recorded history of a concurrent object", lin_command},
      {"bench", "known questions, and what each shows beside what is expected", bench_command},
      {"completion", "what makes a shell complete heddle's commands and options", completion_command},
      {"man", "print the manual page of a command", man_command},
  };
  return kLines;
}

std::vector<CommandPage> command_pages() {
  std::vector<CommandPage> pages;
  for (const CommandLine& command : command_lines()) {
    CommandPage page;
    page.name = command.name;
    page.usage = std::string("heddle ") + command.name;
    page.description = command.summary;
    // The compilers' options are not ours.
    if (page.name == "cc" || page.name == "c++") {
      page.usage += " [--compiler=NAME] OPTIONS-OF-THE-COMPILER FILE…";
      page.options.push_back(
          {{"--compiler"}, "NAME", "the compiler to call [$HEDDLE_CC, $HEDDLE_CXX, cc, c++]", {}});
    } else {
      collecting = &page;
      command.run({"--help"});
      collecting = nullptr;
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

}  // namespace heddle::cli
