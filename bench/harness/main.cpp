// heddle-bench: the published tables that heddle is compared with, measured anew. For who develops heddle; users
// have `heddle bench`.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/harness/commands.h"
#include "tool/base/atomic_file.h"
#include "tool/cli/standard_streams.h"
#include "tool/run/interruption.h"
#include "tool/run/limits.h"
#include "tool/run/needed_calls.h"

namespace heddle::harness {
namespace {

constexpr const char* kDescription =
    "Measures heddle on programs of papers and prints the results beside the published ones.\n"
    "\n"
    "paper: the nine benchmarks of the papers on PCT and PCTWM for weak memory, each with one seeded bug: "
    "how often an\n"
    "execution shows it under each strategy, with its 95 % interval, beside the published figures.\n"
    "\n"
    "lin: the concurrent objects of the paper on localization (CGVT): how often a history is not "
    "linearizable, and the\n"
    "minimum test, beside the published figures.\n"
    "\n"
    "deep: programs with a bug that few interleavings show: executions and CPU seconds until each strategy "
    "shows it first,\n"
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
    "beside its tables.";

struct Benchmark {
  const char* name;
  std::function<int()> (*add)(CLI::App& app);
};
constexpr Benchmark kBenchmarks[] = {{"apps", add_apps},    {"cause", add_cause}, {"coop", add_coop},
                                     {"deep", add_deep},    {"lin", add_lin},     {"paper", add_paper},
                                     {"search", add_search}};

int run_benchmark(const std::vector<std::string>& arguments) {
  if (const Status stack = run::check_stack(); !stack) return complain(stack.error());
  if (const Status calls = run::check_needed_calls(run::CallNeed::kFiles); !calls)
    return complain(calls.error());
  CLI::App app(kDescription, "heddle-bench");
  app.require_subcommand(1);
  std::vector<std::function<int()>> runs;
  for (const Benchmark& benchmark : kBenchmarks) runs.push_back(benchmark.add(app));
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      const auto chosen = app.get_subcommands();
      fmt::print("{}", chosen.empty() ? app.help() : chosen[0]->help());
      return 0;
    }
    return complain({std::string(error.what()) + " `heddle-bench --help` lists what there is."});
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (app.got_subcommand(kBenchmarks[i].name)) return runs[i]();
  }
  return static_cast<int>(ExitCode::kOwnError);
}

}  // namespace
}  // namespace heddle::harness

int main(int argc, char** argv) {
  heddle::cli::prepare_standard_streams();
  heddle::set_gives_up_writing([] { return heddle::run::was_interrupted(); });
  try {
    return heddle::cli::finish_standard_streams(
        heddle::harness::run_benchmark(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const std::exception& error) {
    return heddle::cli::complain(
        {std::string("internal error: ") + error.what(), heddle::ExitCode::kOwnError});
  }
}
