// The subcommands of `heddle bench`, one file each. Each adds itself to the command line and answers what
// runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace heddle::cli {

std::function<int()> add_bench_apps(CLI::App& bench);
std::function<int()> add_bench_cause(CLI::App& bench);
std::function<int()> add_bench_coop(CLI::App& bench);
std::function<int()> add_bench_deep(CLI::App& bench);
std::function<int()> add_bench_lin(CLI::App& bench);
std::function<int()> add_bench_litmus(CLI::App& bench);
std::function<int()> add_bench_paper(CLI::App& bench);
std::function<int()> add_bench_search(CLI::App& bench);
std::function<int()> add_bench_speed(CLI::App& bench);

}  // namespace heddle::cli
