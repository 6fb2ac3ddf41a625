// heddle: finds, replays and explains concurrency bugs in C and C++ programs.
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "tool/base/atomic_file.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/run_options.h"
#include "tool/cli/standard_streams.h"
#include "tool/cli/terminal.h"
#include "tool/cli/version.h"
#include "tool/run/interruption.h"
#include "tool/run/limits.h"
#include "tool/run/needed_calls.h"

namespace heddle::cli {

std::string version_line() { return fmt::format("heddle {} ({})", HEDDLE_VERSION, kCommit); }

namespace {

constexpr std::string_view kHelp =
    R"(heddle finds, replays and explains concurrency bugs in C and C++ programs.

usage: heddle COMMAND [OPTIONS]

  heddle c++ -g -O1 test.cpp -o test       compile with your own compiler and our runtime
  heddle run -- ./test                     explore executions until a bug is found
  heddle replay heddle-out/bug-1.heddle    the same bug, the same way, every time

commands:
)";

constexpr std::string_view kHelpEnd = R"(
`heddle COMMAND --help` explains each. Exit codes: 0 no bug, 66 a bug was found or reproduced,
1 inconclusive, 2 bad command line or input, 3 an error of heddle's own.
)";

std::string help() {
  std::string text(kHelp);
  for (const CommandLine& command : command_lines())
    text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  return text.append(kHelpEnd);
}

int dispatch(const std::string& command, const Arguments& arguments) {
  // (The compiler says itself what it misses.)
  if (command != "cc" && command != "c++") {
    if (const Status stack = run::check_stack(); !stack) return complain(stack.error());
    if (const Status calls = run::check_needed_calls(run::CallNeed::kFiles); !calls)
      return complain(calls.error());
  }
  for (const CommandLine& known : command_lines()) {
    if (command == known.name) return known.run(arguments);
  }
  if (command == "--version" || command == "version") {
    fmt::print("{}\n", version_line());
    return 0;
  }
  if (command == "--help" || command == "-h" || command == "help") {
    // For docs/guide/commands.md: tests/end_to_end/docs_test.py compares and writes it.
    if (arguments == Arguments{"--markdown", "run"}) {
      fmt::print("{}", run_options_in_guide());
      return 0;
    }
    if (!arguments.empty()) return dispatch(arguments[0], {"--help"});
    fmt::print("{}", help());
    return 0;
  }
  return complain(
      {"There is no command '" + command + "'. `heddle --help` lists the commands.", ExitCode::kBadInput});
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  heddle::cli::prepare_standard_streams();
  heddle::set_gives_up_writing([] { return heddle::run::was_interrupted(); });
  if (argc < 2) {
    fmt::print(stderr, "{}", heddle::cli::help());
    return 2;
  }
  try {
    return heddle::cli::finish_standard_streams(
        heddle::cli::dispatch(argv[1], heddle::cli::Arguments(argv + 2, argv + argc)));
  } catch (const std::exception& error) {
    return heddle::cli::complain(
        {std::string("internal error: ") + error.what(), heddle::ExitCode::kOwnError});
  }
}
