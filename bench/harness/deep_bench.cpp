#include "bench/harness/deep_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "bench/harness/bug_program.h"
#include "bench/harness/range_plot.h"
#include "tool/bench/child_process.h"

namespace heddle::bench {

const std::vector<std::string> kDeepStrategies = {"random", "pct",    "pctwm",  "pos",     "surw",
                                                  "surwm",  "places", "delays", "greybox", "auto"};

namespace {

struct DeepProgram {
  BugProgram program;
  bool has_twin = true;
};

// A line each: name, source, definitions; "!" where there is no correct twin.
Result<std::vector<DeepProgram>> read_programs(const DeepOptions& options) {
  const std::string path = options.folder + "/programs.txt";
  std::ifstream file(path);
  std::vector<DeepProgram> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    DeepProgram deep;
    if (!(words >> deep.program.name >> deep.program.source)) continue;
    deep.program.source = options.folder + "/" + deep.program.source;
    for (std::string word; words >> word;) {
      if (word == "!") deep.has_twin = false;
      if (word != "!") deep.program.defines.push_back(word);
    }
    all.push_back(std::move(deep));
  }
  if (all.empty()) return Error{"There are no programs in " + path + ".", ExitCode::kBadInput};
  if (options.programs.empty()) return all;
  std::vector<DeepProgram> chosen;
  for (const std::string& name : options.programs) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const DeepProgram& d) { return d.program.name == name; });
    if (found == all.end())
      return Error{"There is no program " + name + " in " + path + ".", ExitCode::kBadInput};
    chosen.push_back(*found);
  }
  return chosen;
}

Result<DeepCell> measure(const DeepOptions& options, const BugProgram& program, const std::string& binary,
                         const std::string& strategy) {
  DeepCell cell{program.name, strategy, options.seeds, {}, {}, 0};
  for (std::uint32_t i = 0; i < options.seeds; ++i) {
    run::CampaignOptions campaign;
    campaign.spec.seed = options.first_seed + i;
    campaign.executions = options.executions;
    campaign.seconds = options.seconds;
    campaign.output_directory.clear();
    const auto cost = run_campaign(binary, options.library, strategy, campaign);
    if (!cost) return cost.error();
    cell.spent += cost->cpu_seconds;
    // Warnings may have come before.
    const auto& bugs = cost->outcome.bugs;
    const auto bug = std::find_if(bugs.begin(), bugs.end(), [](const run::FoundBug& found) {
      return found.trace.findings[found.finding].severity == Severity::kBug;
    });
    if (bug == bugs.end()) continue;
    cell.executions.push_back(static_cast<double>(bug->first_execution + 1));
    cell.cpu_seconds.push_back(cost->cpu_seconds);
  }
  std::sort(cell.executions.begin(), cell.executions.end());
  std::sort(cell.cpu_seconds.begin(), cell.cpu_seconds.end());
  return cell;
}

std::string value_or_dash(double value, const char* format) {
  return value < 0 ? "–" : fmt::format(fmt::runtime(format), value);
}

std::vector<std::string> names(const std::vector<DeepCell>& cells, std::string DeepCell::* name) {
  std::vector<std::string> all;
  for (const DeepCell& cell : cells) {
    if (std::find(all.begin(), all.end(), cell.*name) == all.end()) all.push_back(cell.*name);
  }
  return all;
}

}  // namespace

double quantile(const std::vector<double>& found, std::uint32_t seeds, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * seeds));
  const std::size_t at = rank == 0 ? 0 : rank - 1;
  return at < found.size() ? found[at] : -1;
}

Result<std::vector<DeepCell>> run_deep(const DeepOptions& options,
                                       const std::function<void(const std::string&)>& head,
                                       const std::function<void(const DeepCell&)>& row) {
  const auto programs = read_programs(options);
  if (!programs) return programs.error();
  auto work = TemporaryFolder::make();
  if (!work) return work.error();
  std::vector<DeepCell> cells;
  for (const DeepProgram& deep : *programs) {
    if (options.correct && !deep.has_twin) continue;
    const auto binary = compile_program(options.heddle, work->path(), deep.program, options.correct);
    if (!binary) return binary.error();
    head(deep.program.name);
    for (const std::string& strategy : options.strategies.empty() ? kDeepStrategies : options.strategies) {
      auto cell = measure(options, deep.program, *binary, strategy);
      if (!cell) return cell.error();
      row(*cell);
      cells.push_back(std::move(*cell));
    }
  }
  return cells;
}

std::string deep_row(const DeepCell& cell) {
  const auto text = [&](const std::vector<double>& found, double share, const char* format) {
    return value_or_dash(quantile(found, cell.seeds, share), format);
  };
  return fmt::format("  {:<20} found {:>3} of {:<3}  executions {:>9} {:>9}   CPU s {:>8} {:>8}\n",
                     cell.strategy, cell.executions.size(), cell.seeds, text(cell.executions, 0.5, "{:.0f}"),
                     text(cell.executions, 0.95, "{:.0f}"), text(cell.cpu_seconds, 0.5, "{:.2f}"),
                     text(cell.cpu_seconds, 0.95, "{:.2f}"));
}

std::string deep_foot(const std::vector<DeepCell>& cells) {
  const std::vector<std::string> programs = names(cells, &DeepCell::program);
  // Programs on which a mean says something of every strategy.
  const auto found_by_all = [&](const std::string& program) {
    return std::all_of(cells.begin(), cells.end(), [&](const DeepCell& cell) {
      return cell.program != program || quantile(cell.executions, cell.seeds, 0.5) >= 0;
    });
  };
  std::string text =
      "by strategy: bugs that half of the seeds found, that all found; geometric means of the medians over "
      "the "
      "bugs that\n  every strategy found; CPU seconds of everything\n";
  for (const std::string& strategy : names(cells, &DeepCell::strategy)) {
    std::size_t half = 0, all = 0, common = 0;
    double executions = 0, spent = 0;
    for (const DeepCell& cell : cells) {
      if (cell.strategy != strategy) continue;
      const double median = quantile(cell.executions, cell.seeds, 0.5);
      half += median >= 0 ? 1 : 0;
      all += cell.not_found() == 0 ? 1 : 0;
      spent += cell.spent;
      if (!found_by_all(cell.program)) continue;
      ++common;
      executions += std::log(median);
    }
    text += fmt::format(
        "  {:<20} {:>3} and {:>3} of {:<3}   executions {:>9}   CPU s {:>9.1f}\n", strategy, half, all,
        programs.size(),
        common == 0 ? "–" : fmt::format("{:.1f}", std::exp(executions / static_cast<double>(common))), spent);
  }
  return text;
}

std::string deep_json(const std::vector<DeepCell>& cells) {
  nlohmann::ordered_json json;
  json["version"] = 1;
  json["cells"] = nlohmann::ordered_json::array();
  for (const DeepCell& cell : cells)
    json["cells"].push_back({{"program", cell.program},
                             {"strategy", cell.strategy},
                             {"seeds", cell.seeds},
                             {"not_found", cell.not_found()},
                             {"executions", cell.executions},
                             {"cpu_seconds", cell.cpu_seconds},
                             {"cpu_seconds_of_all", cell.spent}});
  return json.dump(2) + "\n";
}

std::string deep_svg(const std::vector<DeepCell>& cells) {
  RangePlot plot;
  plot.title =
      "Executions to the first bug: median (dot) and 95th percentile (end of the line) over the seeds";
  plot.rows = names(cells, &DeepCell::program);
  plot.series = names(cells, &DeepCell::strategy);
  for (const DeepCell& cell : cells)
    plot.ranges.push_back({cell.program, cell.strategy, quantile(cell.executions, cell.seeds, 0.5),
                           quantile(cell.executions, cell.seeds, 0.95)});
  return range_plot_svg(plot);
}

}  // namespace heddle::bench
