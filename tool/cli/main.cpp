// heddle: finds, replays and explains concurrency bugs in C and C++ programs.
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "tool/base/atomic_file.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/help_command.h"
#include "tool/cli/pager.h"
#include "tool/cli/standard_streams.h"
#include "tool/cli/terminal.h"
#include "tool/cli/version.h"
#include "tool/run/interruption.h"
#include "tool/run/limits.h"
#include "tool/run/needed_calls.h"

namespace heddle::cli {

std::string version_line() { return fmt::format("heddle {} ({})", HEDDLE_VERSION, kCommit); }

namespace {

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
  if (command == "--version" || command == "-V" || command == "version") {
    fmt::print("{}\n", version_line());
    return 0;
  }
  if (command == "--help" || command == "-h") {
    fmt::print("{}", main_help(HelpWish::kEveryday));
    return 0;
  }
  if (command == "--help-all") {
    show_paged(main_help(HelpWish::kAll));
    return 0;
  }
  return complain(unknown_command(command));
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  heddle::cli::prepare_standard_streams();
  heddle::set_gives_up_writing([] { return heddle::run::was_interrupted(); });
  if (argc < 2) {
    fmt::print(stderr, "{}", heddle::cli::main_help(heddle::cli::HelpWish::kEveryday));
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
