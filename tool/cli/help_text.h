// The help of a command: as data, which completion and manual pages are made of, too, and as text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cli {

// What fits the smallest terminal that is in use, of 80 columns and 24 lines, with the next prompt.
inline constexpr std::size_t kScreenWidth = 80, kScreenLines = 23;

struct OptionLine {
  std::vector<std::string> names;    // "-n", "--executions"; a positional has one without a dash
  std::string value;                 // "N", "FILE"; empty: takes none
  std::string text;                  // what it means
  std::vector<std::string> choices;  // of its value, where there are only a few
};

struct CommandPage {
  std::string name;         // "run", "lin check"
  std::string usage;        // "heddle run [options] [--] PROGRAM [ARGS…]"
  std::string summary;      // one line, for lists; empty: the first paragraph
  std::string description;  // paragraphs
  std::string footer;       // examples, exit codes
  std::vector<OptionLine> options;
  std::vector<OptionLine> positionals;
  std::vector<CommandPage> subcommands;
};

// What CLI11 knows of a command. `name` is without "heddle".
CommandPage page_of(const CLI::App& app, const std::string& name);

// What stands for the value of an option: "N", "auto|always|never".
std::string value_name(const OptionLine& option);
std::string value_name(const CLI::Option& option);

// "heddle replay [options] FILE".
std::string usage_of(const CommandPage& page);
std::string upper(std::string text);

// Everything, in lines of kScreenWidth columns.
std::string whole_help(const CommandPage& page);
// One screen: all of it if it fits, else the first sentence, the options of `everyday` (separated by spaces;
// each by one of its names) and the first examples. Without `everyday`: the first options.
std::string everyday_help(const CommandPage& page, std::string_view everyday);

// The text, which is one line, in lines of at most kScreenWidth columns. So many columns of the first line are
// used already; further lines begin with `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t used = 0);
std::string in_one_line(const std::string& text);

}  // namespace heddle::cli
