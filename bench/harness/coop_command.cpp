// heddle-bench coop: the thesis' programs, recorded in part and replayed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "bench/harness/commands.h"
#include "bench/harness/coop_bench.h"
#include "bench/harness/places.h"
#include "tool/base/atomic_file.h"

namespace heddle::harness {
namespace {

constexpr const char* kCoopExamples =
    "examples:\n"
    "  heddle-bench coop deadlock cache4j\n"
    "  heddle-bench coop --as-thesis --sets 10 --json coop.json     500 logs, 500 attempts: hours\n"
    "  heddle-bench coop --from coop.json --plots pictures           Figs. 3.6 to 3.12 of saved results\n"
    "\n"
    "exit codes: 0 measured, 2 a program could not be compiled, 3 an error of heddle's own";

struct CoopChoice {
  bench::CoopOptions bench;
  std::string json;
  std::string plots;  // directory
  std::string from;
  bool as_thesis = false, no_variables = false, no_blocks = false, only_attempts = false;
};

int write_plots(const CoopChoice& options, const std::vector<bench::CoopRow>& rows, std::FILE* out) {
  const auto figures = bench::coop_figures(options.bench, rows);
  if (!figures) return complain(figures.error());
  std::error_code failed;
  std::filesystem::create_directories(options.plots, failed);
  for (const bench::CoopFigure& figure : *figures) {
    const std::string path = fmt::format("{}/figure-{}.svg", options.plots, figure.number);
    if (auto written = write_text_file(path, figure.svg); !written) return complain(written.error());
    fmt::print(out, "{}\n", path);
  }
  return 0;
}

int plot_saved(const CoopChoice& options) {
  const auto text = read_whole_file(options.from, 64 << 20);
  if (!text) return complain(text.error());
  const auto rows = bench::read_coop_json(*text);
  if (!rows) return complain(rows.error());
  return write_plots(options, *rows, stdout);
}

int run_coop_bench(CoopChoice options) {
  const auto places = find_places();
  if (!places) return complain(places.error());
  options.bench.folder = places->folder("coop");
  if (!options.from.empty()) return plot_saved(options);
  options.bench.heddle = places->heddle;
  options.bench.library = places->library;
  options.bench.variables = !options.no_variables;
  options.bench.blocks = !options.no_blocks;
  options.bench.metrics = options.bench.counts = !options.only_attempts;
  if (options.as_thesis) {
    options.bench.logs = 512;
    options.bench.passing = 100;
    options.bench.attempts = 500;
    options.bench.record_seconds = 3600;
  }
  std::FILE* out = options.json == "-" ? stderr : stdout;
  const auto rows = bench::run_coop(
      options.bench, [&](const bench::CoopRow& row) { fmt::print(stderr, "{}", bench::coop_line(row)); });
  if (!rows) return complain(rows.error());
  const auto tables = bench::coop_tables(options.bench, *rows);
  if (!tables) return complain(tables.error());
  fmt::print(out, "{}", *tables);
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::coop_json(*rows)); !written)
      return complain(written.error());
  }
  return options.plots.empty() ? 0 : write_plots(options, *rows, out);
}

}  // namespace

std::function<int()> add_coop(CLI::App& app) {
  CLI::App* coop = app.add_subcommand("coop", "cooperative replay of the thesis' programs beside its tables");
  coop->footer(kCoopExamples);
  const auto options = std::make_shared<CoopChoice>();
  coop->add_option("names", options->bench.programs, "only these programs")->type_name("PROGRAM");
  coop->add_option("--logs", options->bench.logs, "failing logs of each program [50]")->type_name("N");
  coop->add_option("--passing", options->bench.passing, "passing logs of each program [20]")->type_name("N");
  coop->add_option("--attempts", options->bench.attempts, "executions of each search [60]")->type_name("N");
  coop->add_option("--sets", options->bench.sets, "sets of partial logs; attempts are medians [1]")
      ->type_name("N");
  coop->add_option("--record-seconds", options->bench.record_seconds, "for the native runs of a program [20]")
      ->type_name("S");
  coop->add_option("--way", options->bench.ways, "only these: SGM, DGM, ours")
      ->check(CLI::IsMember({"SGM", "DGM", "ours"}));
  coop->add_option("--keep", options->bench.kept,
                   "keep programs and native logs there, and use those that are there already")
      ->type_name("DIR");
  coop->add_option("--seed", options->bench.seed, "of what is drawn [1]")->type_name("S");
  coop->add_flag("--no-variables", options->no_variables,
                 "without attempts for vectors of variables (Table 3.7)");
  coop->add_flag("--no-blocks", options->no_blocks, "without block vectors (Table 3.8)");
  coop->add_flag("--only-attempts", options->only_attempts, "without Tables 3.3, 3.4 and 3.9");
  coop->add_flag("-v,--verbose", options->bench.verbose, "every attempt");
  coop->add_flag("--as-thesis", options->as_thesis, "512 failing and 100 passing logs, 500 attempts");
  coop->add_option("--json", options->json, "write the results as JSON; - is standard output")
      ->type_name("FILE");
  CLI::Option* plots = coop->add_option("--plots", options->plots,
                                        "write Figs. 3.6 to 3.12 as pictures (SVG) into a directory")
                           ->type_name("DIR");
  coop->add_option("--from", options->from, "measure nothing: pictures of what --json wrote")
      ->type_name("FILE")
      ->needs(plots);
  return [options] { return run_coop_bench(*options); };
}

}  // namespace heddle::harness
