// heddle bench: what this installation of heddle does on known questions.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "tool/cli/bench_commands.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

constexpr const char* kDescription =
    "Runs known questions through heddle and prints the answers beside what is expected.\n"
    "\n"
    "litmus: small programs whose outcomes tell memory models apart. Each declares outcomes that C++20 "
    "allows, "
    "which\n"
    "have to be shown, and outcomes that it forbids, which must never be. Every execution of each is "
    "explored "
    "unless -n is\n"
    "given; the few tests with very many executions are sampled at random. An outcome marked \"limit\" is "
    "one that C++20 allows and heddle's model leaves out.\n"
    "\n"
    "paper: the nine benchmarks of the papers on PCT and PCTWM for weak memory, each with one seeded bug: "
    "how often an\n"
    "execution shows it under each strategy, with its 95 % interval, beside the published figures.\n"
    "\n"
    "lin: the concurrent objects of the paper on localization (CGVT): how often a history is not "
    "linearizable, "
    "and the\n"
    "minimum test, beside the published figures.\n"
    "\n"
    "deep: programs with a bug that few interleavings show: executions and CPU seconds until each strategy "
    "shows "
    "it first,\n"
    "over many seeds (median and 95th percentile).\n"
    "\n"
    "apps: applications, one long execution of each: time, memory and findings under each strategy, under "
    "ThreadSanitizer\n"
    "and natively beside it, in one run.\n"
    "\n"
    "cause: the programs of Machado's thesis (chapter 4), explained by constraint solving, beside its "
    "tables.\n"
    "\n"
    "search: the programs of its chapter 5: how many tries it takes to find each bug from runs that passed.\n"
    "\n"
    "coop: the programs of its chapter 3: recorded in part by many native runs, and their failures replayed "
    "from the logs,\n"
    "beside its tables.\n"
    "\n"
    "speed: what operations and executions cost, under ThreadSanitizer and natively beside it, in one run.";

struct Benchmark {
  const char* name;
  std::function<int()> (*add)(CLI::App& bench);
};
constexpr Benchmark kBenchmarks[] = {
    {"apps", add_bench_apps},   {"cause", add_bench_cause},   {"coop", add_bench_coop},
    {"deep", add_bench_deep},   {"lin", add_bench_lin},       {"litmus", add_bench_litmus},
    {"paper", add_bench_paper}, {"search", add_bench_search}, {"speed", add_bench_speed}};

}  // namespace

int bench_command(const Arguments& arguments) {
  CLI::App app(kDescription, "heddle bench");
  app.require_subcommand(1);
  std::vector<std::function<int()>> runs;
  for (const Benchmark& benchmark : kBenchmarks) runs.push_back(benchmark.add(app));
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      const auto chosen = app.get_subcommands();
      return show_help(chosen.empty() ? app : *chosen[0]);
    }
    return complain({std::string(error.what()) + " `heddle bench --help` lists what there is."});
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (app.got_subcommand(kBenchmarks[i].name)) return runs[i]();
  }
  return static_cast<int>(ExitCode::kOwnError);
}

}  // namespace heddle::cli
