// heddle-bench search: the thesis' programs, searched from runs that passed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/harness/commands.h"
#include "bench/harness/places.h"
#include "bench/harness/reconstruct_bench.h"
#include "bench/harness/search_bench.h"

namespace heddle::harness {
namespace {

constexpr const char* kSearchExamples =
    "examples:\n"
    "  heddle-bench search\n"
    "  heddle-bench search pool loader --json search.json\n"
    "  heddle-bench search --reconstruct\n"
    "\n"
    "exit codes: 0 measured, 2 a program could not be compiled, 3 an error of heddle's own";

struct SearchBenchChoice {
  bench::SearchBenchOptions bench;
  std::string json;
  bool reconstruct = false;
  std::uint64_t native_runs = bench::ReconstructBenchOptions().native_runs;
};

int run_reconstruct(const SearchBenchChoice& options, const Places& places) {
  bench::ReconstructBenchOptions how;
  how.folders = {places.folder("cause"), places.folder("search")};
  how.heddle = places.heddle;
  how.library = places.library;
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
  const auto places = find_places();
  if (!places) return complain(places.error());
  if (options.reconstruct) return run_reconstruct(options, *places);
  options.bench.folder = places->folder("search");
  options.bench.heddle = places->heddle;
  options.bench.library = places->library;
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

std::function<int()> add_search(CLI::App& app) {
  CLI::App* search =
      app.add_subcommand("search", "bugs of the thesis' programs from runs that passed, beside its tables");
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

}  // namespace heddle::harness
