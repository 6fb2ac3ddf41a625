// The commands of heddle and their help. CLI11's definitions of options are the one table: parsing, --help,
// completion and manual pages all come from them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tool/cli/command_words.h"
#include "tool/cli/help_text.h"

namespace heddle::cli {

// Prints the help of a command, or hands it to who is collecting pages. Answers 0, the exit code.
int show_help(const CLI::App& app, HelpWish wish);

// Parses; answers the exit code with which to end at once (--help, bad options: already told to the user).
std::optional<int> parse_command(CLI::App& app, const std::vector<std::string>& arguments);

// A line for each command, in the order of `heddle --help-all`.
struct CommandLine {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& arguments);
  // The options of the one screen of --help, separated by spaces. "": all of them fit.
  const char* everyday = "";
  bool is_everyday = false;  // has a line of its own in `heddle --help`
};
const std::vector<CommandLine>& command_lines();
std::vector<std::string> command_names();

// All commands.
std::vector<CommandPage> command_pages();
CommandPage command_page(const CommandLine& command);

}  // namespace heddle::cli
