// The subcommands of `heddle lin`, one file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "tool/cli/commands.h"

namespace heddle::cli {

// Adds itself to the command line and answers what runs it.
std::function<int()> add_lin_check(CLI::App& lin);

// Has the options of `heddle run`, which reads them itself.
int lin_run(const Arguments& arguments);

}  // namespace heddle::cli
