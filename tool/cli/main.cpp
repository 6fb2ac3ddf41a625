// heddle: finds, replays and explains concurrency bugs in C and C++ programs.
#include <fmt/core.h>

#include <csignal>
#include <string_view>

#include "compiler/compile_command.h"
#include "tool/cli/commands.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

constexpr std::string_view kHelp =
    R"(heddle finds, replays and explains concurrency bugs in C and C++ programs.

usage: heddle COMMAND [OPTIONS]

  heddle c++ -g -O1 test.cpp -o test       compile with your own compiler and our runtime
  heddle run -- ./test                     explore executions until a bug is found
  heddle replay heddle-out/bug-1.heddle    the same bug, the same way, every time

commands:
  cc, c++    compile and link: drop-in for cc and c++ (CC="heddle cc" CXX="heddle c++" cmake …)
  run        run a program under many schedules until a bug is found or the budget is spent
  replay     run the execution of a found bug again
  minimize   make the execution of a found bug smaller, and mark what it cannot do without
  show       print what is in an artifact: findings, trace, output
  lin        linearizability: judge a recorded history of a concurrent object
  bench      the litmus tests of the memory model, and what each shows beside what is expected

`heddle COMMAND --help` explains each. Exit codes: 0 no bug, 66 a bug was found or reproduced,
1 inconclusive, 2 bad command line or input, 3 an error of heddle's own.
)";

int dispatch(const std::string& command, const Arguments& arguments) {
  if (command == "cc" || command == "c++") return compiler::compile_command(command == "c++", arguments);
  if (command == "run") return run_command(arguments);
  if (command == "replay") return replay_command(arguments);
  if (command == "minimize") return minimize_command(arguments);
  if (command == "show") return show_command(arguments);
  if (command == "bench") return bench_command(arguments);
  if (command == "lin") return lin_command(arguments);
  if (command == "--version" || command == "version") {
    fmt::print("heddle {}\n", HEDDLE_VERSION);
    return 0;
  }
  if (command == "--help" || command == "-h" || command == "help") {
    if (!arguments.empty()) return dispatch(arguments[0], {"--help"});
    fmt::print("{}", kHelp);
    return 0;
  }
  return complain(
      {"There is no command '" + command + "'. `heddle --help` lists the commands.", ExitCode::kBadInput});
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of writing, not the end of a campaign
  if (argc < 2) {
    fmt::print(stderr, "{}", heddle::cli::kHelp);
    return 2;
  }
  try {
    return heddle::cli::dispatch(argv[1], heddle::cli::Arguments(argv + 2, argv + argc));
  } catch (const std::exception& error) {
    return heddle::cli::complain(
        {std::string("internal error: ") + error.what(), heddle::ExitCode::kOwnError});
  }
}
