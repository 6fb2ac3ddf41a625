// The options of each command as data. CLI11's definitions are the one table: parsing, --help, completion and
// man pages all come from them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

struct OptionLine {
  std::vector<std::string> names;    // "-n", "--executions"; a positional has one without a dash
  std::string value;                 // "N", "FILE"; empty: takes none
  std::string text;                  // what it means
  std::vector<std::string> choices;  // of its value, where there are only a few
};

struct CommandPage {
  std::string name;         // "run", "lin check"
  std::string usage;        // "heddle run [options] [--] PROGRAM [ARGS…]"
  std::string description;  // paragraphs
  std::string footer;       // examples, exit codes
  std::vector<OptionLine> options;
  std::vector<OptionLine> positionals;
  std::vector<CommandPage> subcommands;
};

// Prints the help of a command, or hands it to who is collecting pages. Answers 0, the exit code.
int show_help(const CLI::App& app);

// Parses; answers the exit code with which to end at once (--help, bad options: already told to the user).
std::optional<int> parse_command(CLI::App& app, const std::vector<std::string>& arguments);

// A line for each command, in the order of `heddle --help`.
struct CommandLine {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& arguments);
};
const std::vector<CommandLine>& command_lines();

// All commands.
std::vector<CommandPage> command_pages();

}  // namespace heddle::cli
