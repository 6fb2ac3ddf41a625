// heddle-bench deep: executions and CPU seconds to the first bug, for bugs that few interleavings show.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "bench/harness/commands.h"
#include "bench/harness/deep_bench.h"
#include "bench/harness/places.h"
#include "core/trace/portfolio.h"

namespace heddle::harness {
namespace {

constexpr const char* kDeepExamples =
    "examples:\n"
    "  heddle-bench deep                              all programs under every strategy\n"
    "  heddle-bench deep reorder_100 -s auto -s surw  one of them under two\n"
    "  heddle-bench deep --correct -n 2000            the correct twins: exit code 66 if one shows a bug";

struct DeepChoice {
  std::string json, svg, time;
  std::vector<std::string> without;
  bench::DeepOptions bench;
};

void define_deep(CLI::App& deep, DeepChoice& o) {
  deep.add_option("names", o.bench.programs, "only these programs")->type_name("PROGRAM");
  deep.add_option("-s,--strategy", o.bench.strategies, "may be repeated [all]")
      ->type_name("S")
      ->allow_extra_args(false);
  deep.add_option("--seeds", o.bench.seeds, "campaigns for each, with seeds that follow each other [20]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  deep.add_option("--seed", o.bench.first_seed, "the first of them [1]")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);
  deep.add_option("-n,--executions", o.bench.executions, "executions of a campaign without a bug [1000000]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  deep.add_option("-t,--time", o.time, "… and its time [10s]")->type_name("D");
  deep.add_option("--without", o.without, "also auto without this member, pos for example; may be repeated")
      ->type_name("MEMBER")
      ->allow_extra_args(false);
  deep.add_flag("--correct", o.bench.correct, "the correct twins, which show no bug");
  deep.add_option("--json", o.json, "write the results as JSON; - is standard output")->type_name("FILE");
  deep.add_option("--svg", o.svg, "write a plot of the executions; - is standard output")->type_name("FILE");
}

// The portfolio without a member, as a strategy.
Result<std::string> auto_without(const std::string& member) {
  for (std::uint32_t i = 0; i < kPortfolioSize; ++i) {
    if (member == kPortfolio[i]) return fmt::format("auto:without={}", i + 1);
  }
  return Error{"auto has no member " + member + ". docs/guide/strategies.md lists them."};
}

int run_deep(DeepChoice options) {
  const auto places = find_places();
  if (!places) return complain(places.error());
  options.bench.folder = places->folder("deep");
  options.bench.heddle = places->heddle;
  options.bench.library = places->library;
  if (!options.time.empty()) {
    const auto seconds = parse_duration(options.time);
    if (!seconds) return complain(seconds.error());
    options.bench.seconds = *seconds;
  }
  if (!options.without.empty() && options.bench.strategies.empty()) options.bench.strategies = {"auto"};
  for (const std::string& member : options.without) {
    const auto strategy = auto_without(member);
    if (!strategy) return complain(strategy.error());
    options.bench.strategies.push_back(*strategy);
  }
  std::FILE* out = options.json == "-" || options.svg == "-" ? stderr : stdout;
  fmt::print(
      out,
      "to the first bug: median and 95th percentile over {} seeds; –: not found within {} executions or "
      "{:g} s\n",
      options.bench.seeds, options.bench.executions, options.bench.seconds);
  const auto cells = bench::run_deep(
      options.bench, [&](const std::string& program) { fmt::print(out, "{}\n", program); },
      [&](const bench::DeepCell& cell) {
        fmt::print(out, "{}", bench::deep_row(cell));
        std::fflush(out);
      });
  if (!cells) return complain(cells.error());
  fmt::print(out, "{}", bench::deep_foot(*cells));
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::deep_json(*cells)); !written)
      return complain(written.error());
  }
  if (!options.svg.empty()) {
    if (auto written = write_text_file(options.svg, bench::deep_svg(*cells)); !written)
      return complain(written.error());
  }
  const bool found = std::any_of(cells->begin(), cells->end(),
                                 [](const bench::DeepCell& cell) { return !cell.executions.empty(); });
  return options.bench.correct && found ? static_cast<int>(ExitCode::kBug) : 0;
}

}  // namespace

std::function<int()> add_deep(CLI::App& app) {
  CLI::App* deep = app.add_subcommand("deep", "executions to the first bug, for bugs that are hard to reach");
  deep->footer(kDeepExamples);
  const auto options = std::make_shared<DeepChoice>();
  define_deep(*deep, *options);
  return [options] { return run_deep(*options); };
}

}  // namespace heddle::harness
