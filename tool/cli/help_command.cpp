// heddle help: the commands, the topics, and each of them.
#include <fmt/core.h>

#include <filesystem>

#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/help_command.h"
#include "tool/cli/pager.h"
#include "tool/cli/run_options.h"
#include "tool/cli/suggest.h"
#include "tool/cli/terminal.h"
#include "tool/cli/topics.h"
#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kNameColumns = 16;

constexpr const char* kHead = R"(heddle finds, replays and explains concurrency bugs in C and C++ programs.

usage: heddle COMMAND [OPTIONS]

  heddle c++ -g -O1 test.cpp -o test       compile with your own compiler
  heddle run -- ./test                     explore executions until a bug
  heddle replay heddle-out/bug-1.heddle    the same bug, every time
)";

constexpr const char* kEnd = R"(
`heddle COMMAND --help` explains a command, `heddle help` lists more to read.
Exit codes: 0 no bug, 66 a bug was found, 1 inconclusive, 2 bad command line or
input, 3 an error of heddle itself.
)";

std::string row(const std::string& name, const std::string& summary) {
  return report::padded("  " + name, kNameColumns) + wrapped(summary, kNameColumns, kNameColumns) + "\n";
}

std::string list_of_topics() {
  std::string text = "heddle help NAME explains one of these:\n\ncommands:\n";
  for (const CommandLine& command : command_lines()) text += row(command.name, command.summary);
  text += "\ntopics:\n";
  for (const Topic& topic : topics()) text += row(topic.name, topic.summary);
  return text;
}

// "lin run": the page of a command, or of a command of a command.
const CommandPage* find_page(const CommandPage& page, const std::string& name) {
  if (page.name == name) return &page;
  for (const CommandPage& sub : page.subcommands) {
    if (const CommandPage* found = find_page(sub, name)) return found;
  }
  return nullptr;
}

// Everything that is known by this name. Empty: nothing.
std::string text_about(const std::string& name) {
  std::string text;
  for (const Topic& topic : topics()) {
    if (name == topic.name) text = topic.text();
  }
  for (const CommandLine& command : command_lines()) {
    if (name.substr(0, name.find(' ')) != command.name) continue;
    const CommandPage page = command_page(command);
    if (const CommandPage* found = find_page(page, name))
      text += (text.empty() ? "" : "\nTHE COMMAND\n\n") + whole_help(*found);
  }
  return text;
}

}  // namespace

std::string main_help(HelpWish wish) {
  std::string text = kHead;
  text += wish == HelpWish::kAll ? "\ncommands:\n" : "\neveryday commands:\n";
  std::string others;
  for (const CommandLine& command : command_lines()) {
    if (wish == HelpWish::kAll || command.is_everyday) {
      text += row(command.name, command.summary);
    } else {
      others += (others.empty() ? "" : ", ") + std::string(command.name);
    }
  }
  if (wish != HelpWish::kAll) text += wrapped("others: " + others, 8) + "\n";
  return text + kEnd;
}

Error unknown_command(const std::string& name) {
  if (name.starts_with('-')) {
    const std::string meant = did_you_mean(name, {"--help", "--help-all", "--version"});
    return {fmt::format(
        "heddle has no option '{}' of its own.{}\n`heddle --help` lists the commands.", name,
        meant.empty() ? fmt::format(" Options of a command stand behind it: heddle run {} …", name) : meant)};
  }
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored))
    return {fmt::format("There is no command '{0}'. To run a program:\nheddle run -- {0}", name)};
  return {fmt::format("There is no command '{}'.{}\n`heddle --help` lists the commands.", name,
                      did_you_mean(name, command_names()))};
}

int help_command(const Arguments& arguments) {
  // For docs/guide/commands.md: tests/end_to_end/docs_test.py compares and writes it.
  if (arguments == Arguments{"--markdown", "run"}) {
    fmt::print("{}", run_options_in_guide());
    return 0;
  }
  CLI::App app("Explains a command or a topic. Without a name it lists them.", "heddle help");
  app.footer("examples:\n  heddle help strategies\n  heddle help lin run");
  std::vector<std::string> words;
  app.add_option("name", words, "a command or a topic")->type_name("NAME…");
  if (const auto code = parse_command(app, arguments)) return *code;
  std::string name;
  for (const std::string& word : words) name += (name.empty() ? "" : " ") + word;
  if (name.empty()) {
    show_paged(list_of_topics());
    return 0;
  }
  if (const std::string text = text_about(name); !text.empty()) {
    show_paged(text);
    return 0;
  }
  std::vector<std::string> known = command_names();
  for (const Topic& topic : topics()) known.emplace_back(topic.name);
  return complain({fmt::format("There is no help about '{}'.{}\n`heddle help` lists what there is.", name,
                               did_you_mean(name, known))});
}

}  // namespace heddle::cli
