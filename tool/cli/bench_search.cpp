// heddle bench search: the thesis' programs, searched from runs that passed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "compiler/install_layout.h"
#include "tool/bench/reconstruct_bench.h"
#include "tool/bench/search_bench.h"
#include "tool/cli/bench_commands.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

constexpr const char* kSearchExamples =
    "examples:\n"
    "  heddle bench search\n"
    "  heddle bench search pool loader --json search.json\n"
    "  heddle bench search --reconstruct\n"
    "\n"
    "exit codes: 0 measured, 2 a program could not be compiled, 3 an error of heddle's own";

struct SearchBenchChoice {
  bench::SearchBenchOptions bench;
  std::string json;
  bool reconstruct = false;
  std::uint64_t native_runs = bench::ReconstructBenchOptions().native_runs;
};

int run_reconstruct(const SearchBenchChoice& options, const compiler::InstallLayout& layout) {
  bench::ReconstructBenchOptions how;
  how.folders = {layout.cause_dir, layout.search_dir};
  how.heddle = layout.executable;
  how.library = layout.library;
  how.programs = options.bench.programs;
  how.seed = options.bench.seed;
  how.seconds = options.bench.seconds;
  how.native_runs = options.native_runs;
  fmt::print("{}", bench::reconstruct_head());
  const auto rows = bench::run_reconstruct(how, [](const bench::ReconstructRow& row) {
    fmt::print("{}", bench::reconstruct_row(row));
    std::fflush(stdout);
  });
  if (!rows) return complain(rows.error());
  fmt::print("{}", bench::reconstruct_foot(*rows));
  return 0;
}

int run_search(SearchBenchChoice options) {
  auto layout = compiler::find_layout();
  if (!layout) return complain(layout.error());
  if (options.reconstruct) return run_reconstruct(options, *layout);
  options.bench.folder = layout->search_dir;
  options.bench.heddle = layout->executable;
  options.bench.library = layout->library;
  std::FILE* out = options.json == "-" ? stderr : stdout;
  fmt::print(out, "{}", bench::search_head());
  const auto rows = bench::run_search(options.bench, [&](const bench::SearchRow& row) {
    fmt::print(out, "{}", bench::search_row(row));
    std::fflush(out);
  });
  if (!rows) return complain(rows.error());
  fmt::print(out, "{}", bench::search_foot(*rows));
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::search_json(*rows)); !written)
      return complain(written.error());
  }
  return 0;
}

}  // namespace

std::function<int()> add_bench_search(CLI::App& bench) {
  CLI::App* search =
      bench.add_subcommand("search", "bugs of the thesis' programs from runs that passed, beside its tables");
  search->footer(kSearchExamples);
  const auto options = std::make_shared<SearchBenchChoice>();
  search->add_option("names", options->bench.programs, "only these programs")->type_name("PROGRAM");
  search->add_option("--seed", options->bench.seed, "of the runs to start from [1]")->type_name("S");
  search->add_option("--runs", options->bench.runs, "runs that pass [100]")->type_name("N");
  search->add_flag(
      "--reconstruct", options->reconstruct,
      "instead: failures of these and of the programs of chapter 4, from the paths of one failing run");
  search->add_flag("!--engine-runs", options->bench.native,
                   "start from executions under the engine instead of runs that are recorded natively");
  search
      ->add_option("--native-runs", options->native_runs,
                   "with --reconstruct: native runs of each program until one fails [60]")
      ->type_name("N");
  search->add_option("-t,--time", options->bench.seconds, "seconds for each search [60]")->type_name("S");
  search->add_option("--json", options->json, "write the results as JSON; - is standard output")
      ->type_name("FILE");
  return [options] { return run_search(*options); };
}

}  // namespace heddle::cli
