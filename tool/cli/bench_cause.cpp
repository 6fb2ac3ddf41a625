// heddle bench cause: the thesis' programs, explained.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "compiler/install_layout.h"
#include "tool/bench/cause_bench.h"
#include "tool/cli/bench_commands.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

constexpr const char* kCauseExamples =
    "examples:\n"
    "  heddle bench cause\n"
    "  heddle bench cause bank airline --json cause.json\n"
    "\n"
    "exit codes: 0 measured, 2 a program could not be compiled, 3 an error of heddle's own";

struct CauseChoice {
  bench::CauseOptions bench;
  std::string json;
};

int run_cause(CauseChoice options) {
  auto layout = compiler::find_layout();
  if (!layout) return complain(layout.error());
  options.bench.folder = layout->cause_dir;
  options.bench.heddle = layout->executable;
  options.bench.library = layout->library;
  std::FILE* out = options.json == "-" ? stderr : stdout;
  fmt::print(out, "{}", bench::cause_head());
  const auto rows = bench::run_cause(options.bench, [&](const bench::CauseRow& row) {
    fmt::print(out, "{}", bench::cause_row(row));
    std::fflush(out);
  });
  if (!rows) return complain(rows.error());
  fmt::print(out, "{}{}", bench::cause_details(*rows), bench::cause_foot(*rows));
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::cause_json(*rows)); !written)
      return complain(written.error());
  }
  return 0;
}

}  // namespace

std::function<int()> add_bench_cause(CLI::App& bench) {
  CLI::App* cause = bench.add_subcommand("cause", "root causes of the thesis' programs beside its tables");
  cause->footer(kCauseExamples);
  const auto options = std::make_shared<CauseChoice>();
  cause->add_option("names", options->bench.programs, "only these programs")->type_name("PROGRAM");
  cause->add_option("--seed", options->bench.seed, "of the campaigns [1]")->type_name("S");
  cause->add_flag("--sc", options->bench.sequential,
                  "under sequential consistency, as the thesis has it, and not under C++20");
  cause->add_option("--json", options->json, "write the results as JSON; - is standard output")
      ->type_name("FILE");
  return [options] { return run_cause(*options); };
}

}  // namespace heddle::cli
