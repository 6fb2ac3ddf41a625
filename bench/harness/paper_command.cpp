// heddle-bench paper: the papers' benchmarks beside their figures.
#include <fmt/core.h>

#include <memory>

#include "bench/harness/commands.h"
#include "bench/harness/paper_bench.h"
#include "bench/harness/paper_trends.h"
#include "bench/harness/places.h"

namespace heddle::harness {
namespace {

constexpr const char* kPaperExamples =
    "examples:\n"
    "  heddle-bench paper                        the nine benchmarks under every strategy\n"
    "  heddle-bench paper -s pctwm --vary rwlock one of them, with the tables for varying d and h\n"
    "  heddle-bench paper --depths depths.svg    rates of pctwm for larger d, as text and as a plot";

struct PaperChoice {
  std::vector<std::string> words, strategies;
  std::string json;
  std::uint64_t executions = 0, seed = 1;
  std::uint64_t draws = 0, campaigns = 0;
  std::string depths, inserted;
  bool vary = false, correct = false;
};

void define_paper(CLI::App& paper, PaperChoice& o) {
  paper.add_option("names", o.words, "only these benchmarks")->type_name("NAME");
  paper
      .add_option("-s,--strategy", o.strategies,
                  "may be repeated; pct and pctwm take the thesis' parameters [all]")
      ->type_name("S")
      ->allow_extra_args(false);
  paper.add_option("-n,--executions", o.executions, "executions of each [1000]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  paper.add_option("--seed", o.seed, "of the executions [1]")->type_name("S")->check(CLI::NonNegativeNumber);
  paper.add_flag("--vary", o.vary, "also the paper's tables 2 and 3: pctwm with other d and h");
  paper
      .add_option(
          "--draws", o.draws,
          "also pct and pctwm with change points drawn once per campaign, as published implementations "
          "do, for so many seeds")
      ->type_name("N");
  paper.add_option("--first", o.campaigns, "also executions to the first bug, in so many campaigns")
      ->type_name("N");
  paper
      .add_option("--depths", o.depths,
                  "instead, pctwm with d from 0 to 12 (the thesis' Fig. 7.5); a plot is written")
      ->type_name("SVG");
  paper
      .add_option("--inserted", o.inserted,
                  "instead, programs with relaxed writes inserted (the paper's Fig. 6); a plot is written")
      ->type_name("SVG");
  paper.add_flag("--correct", o.correct, "the correct twins, which show no bug");
  paper.add_option("--json", o.json, "write the results as JSON; - is standard output")->type_name("FILE");
}

int plot_trend(bench::Trend trend, const bench::PaperOptions& options, const std::string& file) {
  std::FILE* out = file == "-" ? stderr : stdout;
  const auto plot = bench::run_trend(trend, options, [&](const std::string& line) {
    fmt::print(out, "{}", line);
    std::fflush(out);
  });
  if (!plot) return complain(plot.error());
  const auto written = write_text_file(file, bench::line_plot_svg(*plot));
  return written ? 0 : complain(written.error());
}

int run_paper(const PaperChoice& options) {
  const auto places = find_places();
  if (!places) return complain(places.error());
  bench::PaperOptions paper;
  paper.folder = places->folder("paper");
  paper.heddle = places->heddle;
  paper.library = places->library;
  paper.programs = options.words;
  paper.strategies = options.strategies;
  if (options.executions != 0) paper.executions = options.executions;
  paper.seed = options.seed;
  paper.vary = options.vary;
  paper.draws = options.draws;
  paper.campaigns = options.campaigns;
  paper.correct = options.correct;
  if (!options.depths.empty()) return plot_trend(bench::Trend::kDepth, paper, options.depths);
  if (!options.inserted.empty()) return plot_trend(bench::Trend::kInsertedWrites, paper, options.inserted);
  std::FILE* out = options.json == "-" ? stderr : stdout;
  const auto cells = bench::run_paper(
      paper, [&](const std::string& program) { fmt::print(out, "{}\n", program); },
      [&](const bench::PaperCell& cell) {
        fmt::print(out, "{}", bench::paper_row(cell));
        std::fflush(out);
      });
  if (!cells) return complain(cells.error());
  fmt::print(out, "{}", bench::paper_foot(*cells));
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::paper_json(*cells)); !written)
      return complain(written.error());
  }
  return 0;
}

}  // namespace

std::function<int()> add_paper(CLI::App& app) {
  CLI::App* paper = app.add_subcommand("paper", "the papers' benchmarks beside the published figures");
  paper->footer(kPaperExamples);
  const auto options = std::make_shared<PaperChoice>();
  define_paper(*paper, *options);
  return [options] { return run_paper(*options); };
}

}  // namespace heddle::harness
