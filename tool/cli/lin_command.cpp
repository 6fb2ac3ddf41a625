// heddle lin: linearizability.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "tool/cli/help.h"
#include "tool/cli/lin_commands.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {

int lin_command(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "run") return lin_run({arguments.begin() + 1, arguments.end()});
  CLI::App app("Tests whether a concurrent object is linearizable.", "heddle lin");
  app.require_subcommand(1);
  const auto check = add_lin_check(app);
  app.add_subcommand("run", "explore a test that was written with <heddle/lin.hpp>, and cut it to a minimum");
  app.footer("examples:\n  heddle lin run -- ./queue_test\n  heddle lin check history.jsonl --spec queue");
  if (const auto code = parse_command(app, arguments)) return *code;
  return check();
}

}  // namespace heddle::cli
