// The subcommands of `heddle-bench`, one file each. Each adds itself to the command line and answers what
// runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "tool/cli/terminal.h"

namespace heddle::harness {

using cli::complain;
using cli::parse_duration;
using cli::write_text_file;

std::function<int()> add_apps(CLI::App& app);
std::function<int()> add_cause(CLI::App& app);
std::function<int()> add_coop(CLI::App& app);
std::function<int()> add_deep(CLI::App& app);
std::function<int()> add_lin(CLI::App& app);
std::function<int()> add_paper(CLI::App& app);
std::function<int()> add_search(CLI::App& app);

}  // namespace heddle::harness
