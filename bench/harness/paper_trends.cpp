#include "bench/harness/paper_trends.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/harness/bug_program.h"
#include "tool/bench/child_process.h"

namespace heddle::bench {
namespace {

// A series, and the strategy that it is for a program.
struct Series {
  std::string name;
  std::function<std::string(const PaperParameters&, double)> strategy;
};

std::string with_depth(const PaperParameters& p, double depth) {
  return fmt::format("pctwm:d={:g},h={}", depth, p.history);
}

// k is learned: it grows with what was inserted.
std::vector<Series> series_of(Trend trend) {
  if (trend == Trend::kDepth) return {{"pctwm", with_depth}};
  return {
      {"random", [](const PaperParameters&, double) { return std::string("random"); }},
      {"pct",
       [](const PaperParameters& p, double) { return fmt::format("pct:d={}", std::max(p.pct_depth, 1)); }},
      {"pctwm", [](const PaperParameters& p, double) { return with_depth(p, p.depth); }},
  };
}

}  // namespace

Result<LinePlot> run_trend(Trend trend, const PaperOptions& options,
                           const std::function<void(const std::string&)>& row) {
  LinePlot plot;
  const bool inserts = trend == Trend::kInsertedWrites;
  plot.title = inserts ? "Executions with the bug, per cent, with relaxed writes inserted (paper, Fig. 6)"
                       : "Executions with the bug, per cent, by the depth of pctwm (thesis, Fig. 7.5)";
  plot.axis = inserts ? "writes inserted into each thread" : "d";
  plot.positions =
      inserts ? std::vector<double>{0, 5, 10, 20, 40} : std::vector<double>{0, 1, 2, 3, 4, 6, 8, 10, 12};
  const std::vector<Series> all = series_of(trend);
  for (const Series& series : all) plot.series.push_back(series.name);
  auto work = TemporaryFolder::make();
  if (!work) return work.error();
  const auto parameters = paper_parameters(options);
  if (!parameters) return parameters.error();
  for (const PaperParameters& program : *parameters) {
    LinePlot::Panel panel{program.program, std::vector<std::vector<double>>(all.size())};
    std::string binary;
    for (const double position : plot.positions) {
      if (inserts || binary.empty()) {
        BugProgram bug{program.program, options.folder + "/" + program.program + ".c", {}};
        if (inserts) bug.defines.push_back(fmt::format("INSERTED={:g}", position));
        auto compiled = compile_program(options.heddle, work->path(), bug, options.correct);
        if (!compiled) return compiled.error();
        binary = *compiled;
      }
      for (std::size_t s = 0; s < all.size(); ++s) {
        run::CampaignOptions campaign;
        campaign.spec.seed = options.seed;
        campaign.executions = options.executions;
        campaign.max_failures = 0;
        campaign.output_directory.clear();
        const auto cost = run_campaign(binary, options.library, all[s].strategy(program, position), campaign);
        if (!cost) return cost.error();
        const auto& report = cost->outcome.report;
        panel.values[s].push_back(100.0 * static_cast<double>(report.buggy_executions) /
                                  static_cast<double>(std::max<std::uint64_t>(report.executions, 1)));
      }
    }
    for (std::size_t s = 0; s < all.size(); ++s) {
      std::string line = fmt::format("{:<14} {:<8}", panel.title, all[s].name);
      for (std::size_t i = 0; i < plot.positions.size(); ++i)
        line += fmt::format("  {:g}: {:.1f}", plot.positions[i], panel.values[s][i]);
      row(line + "\n");
    }
    plot.panels.push_back(std::move(panel));
  }
  return plot;
}

}  // namespace heddle::bench
