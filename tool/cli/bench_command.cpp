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
    "speed: what operations and executions cost, under ThreadSanitizer and natively beside it, in one run.\n"
    "\n"
    "The tables of papers (apps, cause, coop, deep, lin, paper, search) are another program, heddle-bench: "
    "scripts/build --bench.";

struct Benchmark {
  const char* name;
  std::function<int()> (*add)(CLI::App& bench);
};
constexpr Benchmark kBenchmarks[] = {{"litmus", add_bench_litmus}, {"speed", add_bench_speed}};

// What was a benchmark of `heddle` once, for scripts and for memories that still call it so.
constexpr const char* kMoved[] = {"apps", "cause", "coop", "deep", "lin", "paper", "search"};

}  // namespace

int bench_command(const Arguments& arguments) {
  for (const char* moved : kMoved) {
    if (!arguments.empty() && arguments[0] == moved)
      return complain({fmt::format(
          "`heddle bench {0}` is `heddle-bench {0}`, a program of its own that scripts/build --bench builds.",
          moved)});
  }
  CLI::App app(kDescription, "heddle bench");
  app.require_subcommand(1);
  std::vector<std::function<int()>> runs;
  for (const Benchmark& benchmark : kBenchmarks) runs.push_back(benchmark.add(app));
  if (const auto code = parse_command(app, arguments)) return *code;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (app.got_subcommand(kBenchmarks[i].name)) return runs[i]();
  }
  return static_cast<int>(ExitCode::kOwnError);
}

}  // namespace heddle::cli
