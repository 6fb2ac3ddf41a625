// The subcommands of `heddle bench`, one file each. Each adds itself to the command line and answers what
// runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace heddle::cli {

std::function<int()> add_bench_litmus(CLI::App& bench);
std::function<int()> add_bench_speed(CLI::App& bench);

}  // namespace heddle::cli
