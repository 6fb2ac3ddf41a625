#include "bench/harness/paper_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/harness/bug_program.h"
#include "tool/bench/child_process.h"

namespace heddle::bench {
namespace {

using Json = nlohmann::ordered_json;

// In the order of the papers' tables.
const std::vector<std::string> kPrograms = {"dekker",    "msqueue",      "barrier", "cldeque", "mcslock",
                                            "mpmcqueue", "linuxrwlocks", "rwlock",  "seqlock"};
const std::vector<std::string> kStrategies = {"random", "pct",   "pctwm",  "pos",
                                              "surw",   "surwm", "delays", "auto"};

struct Counted {
  std::uint64_t executions = 0;
  std::uint64_t buggy_executions = 0;
  double cpu_seconds = 0;
};

class PaperBench {
 public:
  PaperBench(const PaperOptions& options, Json papers, TemporaryFolder work)
      : options_(options), papers_(std::move(papers)), work_(std::move(work)) {}

  Result<std::string> compile(const std::string& program) const {
    return compile_program(options_.heddle, work_.path(),
                           {program, options_.folder + "/" + program + ".c", {}}, options_.correct);
  }

  Result<PaperCell> measure(const std::string& program, const std::string& binary,
                            const std::string& strategy) const {
    auto report = run(binary, strategy, options_.seed, 0, options_.executions);
    if (!report) return report.error();
    PaperCell cell;
    cell.program = program;
    cell.strategy = strategy;
    cell.executions = report->executions;
    cell.buggy = report->buggy_executions;
    // Starting and telling of a bug happen once: what the campaign's first tenth costs is left out.
    auto tenth = run(binary, strategy, options_.seed, 0, options_.executions / 10);
    if (!tenth) return tenth.error();
    const std::uint64_t more = cell.executions - std::min(tenth->executions, cell.executions);
    cell.milliseconds = 1000 * std::max(report->cpu_seconds - tenth->cpu_seconds, 0.0) /
                        static_cast<double>(std::max<std::uint64_t>(more, 1));
    return cell;
  }

  // Change points drawn once for each seed: all seeds together, and how far they are apart.
  Result<PaperCell> measure_draws(const std::string& program, const std::string& binary,
                                  const std::string& strategy) const {
    PaperCell all;
    all.program = program;
    all.strategy = strategy;
    for (std::uint64_t i = 0; i < options_.draws; ++i) {
      auto report = run(binary, strategy, options_.seed + i, 0, options_.executions);
      if (!report) return report.error();
      all.executions += report->executions;
      all.buggy += report->buggy_executions;
      all.rates.push_back(100 * static_cast<double>(report->buggy_executions) /
                          static_cast<double>(std::max<std::uint64_t>(report->executions, 1)));
    }
    std::ranges::sort(all.rates);
    return all;
  }

  Result<PaperCell> measure_firsts(const std::string& program, const std::string& binary,
                                   const std::string& strategy) const {
    PaperCell cell;
    cell.program = program;
    cell.strategy = strategy;
    for (std::uint64_t i = 0; i < options_.campaigns; ++i) {
      auto report = run(binary, strategy, options_.seed + i, 1, options_.executions);
      if (!report) return report.error();
      cell.executions += report->executions;
      cell.buggy += report->buggy_executions;
      cell.firsts.push_back(report->buggy_executions != 0 ? report->executions : options_.executions + 1);
    }
    std::ranges::sort(cell.firsts);
    return cell;
  }

  // The strategy with the parameters of the thesis' Table 7.6, where it has some there.
  std::string with_parameters(const std::string& strategy, const std::string& program) const {
    const Json& known = papers_["parameters"];
    if (!known.contains(strategy) || !known[strategy].contains(program)) return strategy;
    return strategy + ":" + known[strategy][program].get<std::string>();
  }

  // The parameters without k; empty where it has no parameters there.
  std::string with_learned_events(const std::string& strategy, const std::string& program) const {
    std::string text = with_parameters(strategy, program);
    const std::size_t at = text.find(",k=");
    if (at == std::string::npos) return {};
    text.erase(at,
               text.find(',', at + 1) == std::string::npos ? std::string::npos : text.find(',', at + 1) - at);
    return text;
  }

  double published(const char* table, const std::string& strategy, const std::string& program) const {
    const Json& values = papers_[table];
    if (options_.correct || !values.contains(strategy) || !values[strategy].contains(program)) return -1;
    return values[strategy][program].get<double>();
  }

  // The rows of the paper's tables 2 (d) and 3 (h) for a program: a strategy and the published rate.
  std::vector<std::pair<std::string, double>> varied(const std::string& program) const {
    std::vector<std::pair<std::string, double>> rows;
    const std::string parameters = papers_["parameters"]["pctwm"][program];
    const std::string events =
        parameters.substr(parameters.find("k="), parameters.find(",h") - parameters.find("k="));
    const std::string history = parameters.substr(parameters.find("h="));
    const Json& depths = papers_["paper_depths"][program];
    for (std::size_t i = 1; i < depths.size(); ++i)
      rows.emplace_back(
          fmt::format("pctwm:d={},{},{}", depths[0].get<int>() + static_cast<int>(i) - 1, history, events),
          depths[i].get<double>());
    const Json& histories = papers_["paper_histories"][program];
    for (std::size_t i = 1; i < histories.size(); ++i)
      rows.emplace_back(fmt::format("pctwm:d={},h={},{}", histories[0].get<int>(), i, events),
                        histories[i].get<double>());
    return rows;
  }

 private:
  Result<Counted> run(const std::string& binary, const std::string& strategy, std::uint64_t seed,
                      std::uint32_t max_failures, std::uint64_t executions) const {
    run::CampaignOptions campaign;
    campaign.spec.seed = seed;
    campaign.executions = executions;
    campaign.max_failures = max_failures;
    campaign.output_directory.clear();
    const auto cost = run_campaign(binary, options_.library, strategy, campaign);
    if (!cost) return cost.error();
    const report::CampaignReport& report = cost->outcome.report;
    return Counted{report.executions, report.buggy_executions, cost->cpu_seconds};
  }

  const PaperOptions& options_;
  Json papers_;
  TemporaryFolder work_;
};

Result<Json> read_papers(const PaperOptions& options) {
  std::ifstream file(options.folder + "/papers.json");
  Json papers = Json::parse(file, nullptr, false);
  if (papers.is_discarded())
    return Error{"The published figures cannot be read from " + options.folder + "/papers.json.",
                 ExitCode::kBadInput};
  return papers;
}

// The number after `key=` in a list of parameters.
int parameter(const std::string& list, const std::string& key) {
  const std::size_t at = list.find(key + "=");
  return at == std::string::npos ? 0 : std::stoi(list.substr(at + key.size() + 1));
}

bool chosen(const PaperOptions& options, const std::string& strategy) {
  return options.strategies.empty() ||
         std::ranges::find(options.strategies, strategy) != options.strategies.end();
}

}  // namespace

Interval wilson(std::uint64_t hits, std::uint64_t of) {
  if (of == 0) return {0, 100};
  constexpr double kZ = 1.959964;
  const auto n = static_cast<double>(of);
  const double p = static_cast<double>(hits) / n;
  const double middle = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half = kZ * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n)) / (1 + kZ * kZ / n);
  return {100 * std::max(middle - half, 0.0), 100 * std::min(middle + half, 1.0)};
}

Result<std::vector<PaperParameters>> paper_parameters(const PaperOptions& options) {
  const auto papers = read_papers(options);
  if (!papers) return papers.error();
  const Json& known = (*papers)["parameters"];
  std::vector<PaperParameters> all;
  for (const std::string& program : options.programs.empty() ? kPrograms : options.programs) {
    if (!known["pctwm"].contains(program))
      return Error{"There is no benchmark " + program + ".", ExitCode::kBadInput};
    const std::string pctwm = known["pctwm"][program];
    all.push_back(
        {program, parameter(known["pct"][program], "d"), parameter(pctwm, "d"), parameter(pctwm, "h")});
  }
  return all;
}

Result<std::vector<PaperCell>> run_paper(const PaperOptions& options,
                                         const std::function<void(const std::string&)>& head,
                                         const std::function<void(const PaperCell&)>& row) {
  auto papers = read_papers(options);
  if (!papers) return papers.error();
  auto work = TemporaryFolder::make();
  if (!work) return work.error();
  PaperBench bench(options, std::move(*papers), std::move(*work));
  std::vector<PaperCell> cells;
  for (const std::string& program : options.programs.empty() ? kPrograms : options.programs) {
    auto binary = bench.compile(program);
    if (!binary) return binary.error();
    head(program);
    for (const std::string& strategy : options.strategies.empty() ? kStrategies : options.strategies) {
      auto cell = bench.measure(program, *binary, bench.with_parameters(strategy, program));
      if (!cell) return cell.error();
      cell->published_rate = bench.published("rates", strategy, program);
      cell->published_milliseconds = bench.published("milliseconds", strategy, program);
      row(*cell);
      cells.push_back(std::move(*cell));
      // The programs differ from the papers' in length: also with the k that is learned.
      const std::string learned = bench.with_learned_events(strategy, program);
      if (learned.empty()) continue;
      cell = bench.measure(program, *binary, learned);
      if (!cell) return cell.error();
      row(*cell);
      cells.push_back(std::move(*cell));
    }
    for (const std::string strategy : {"pct", "pctwm"}) {
      if (options.draws == 0 || !chosen(options, strategy)) continue;
      auto cell = bench.measure_draws(program, *binary, bench.with_parameters(strategy, program) + ",once=1");
      if (!cell) return cell.error();
      cell->published_rate = bench.published("rates", strategy, program);
      row(*cell);
      cells.push_back(std::move(*cell));
    }
    for (const std::string& strategy : options.strategies.empty() ? kStrategies : options.strategies) {
      if (options.campaigns == 0) break;
      auto cell = bench.measure_firsts(program, *binary, strategy);
      if (!cell) return cell.error();
      row(*cell);
      cells.push_back(std::move(*cell));
    }
    for (const auto& [strategy, rate] : bench.varied(program)) {
      if (!options.vary) break;
      auto cell = bench.measure(program, *binary, strategy);
      if (!cell) return cell.error();
      cell->published_rate = rate;
      row(*cell);
      cells.push_back(std::move(*cell));
    }
  }
  return cells;
}

std::string paper_row(const PaperCell& cell) {
  if (!cell.firsts.empty())
    return fmt::format("  {:<24} first bug in execution {} (median), {} (95 % of {} campaigns), {} (all)\n",
                       cell.strategy, cell.firsts[(cell.firsts.size() - 1) / 2],
                       cell.firsts[(cell.firsts.size() * 95 + 99) / 100 - 1], cell.firsts.size(),
                       cell.firsts.back());
  const Interval interval = wilson(cell.buggy, cell.executions);
  const auto published = [](double value, int digits) {
    return value < 0 ? std::string("–") : fmt::format("{:.{}f}", value, digits);
  };
  if (!cell.rates.empty())
    return fmt::format("  {:<24} {:>6.1f} %  {:.1f} to {:.1f} in {} draws   paper {:>6}\n", cell.strategy,
                       cell.rate(), cell.rates.front(), cell.rates.back(), cell.rates.size(),
                       published(cell.published_rate, 1));
  return fmt::format(
      "  {:<24} {:>6.1f} %  [{:>5.1f}, {:>5.1f}]   paper {:>6}   {:>9.3f} ms CPU   paper {:>6}\n",
      cell.strategy, cell.rate(), interval.low, interval.high, published(cell.published_rate, 1),
      cell.milliseconds, published(cell.published_milliseconds, 0));
}

std::string paper_foot(const std::vector<PaperCell>& cells) {
  struct Sum {
    double rate = 0, published = 0, milliseconds = 0;
    int count = 0;
    bool complete = true;  // every program has a published rate
    bool timed = true;     // the bug of every program was shown, and what that took was measured
  };
  std::vector<std::string> names;
  std::map<std::string, Sum> sums;
  for (const PaperCell& cell : cells) {
    if (!cell.firsts.empty()) continue;
    std::string name = cell.strategy.substr(0, cell.strategy.find(':'));
    if (!cell.rates.empty()) name += ", drawn once";
    if (name != cell.strategy && cell.strategy.find("k=") == std::string::npos) name += ", k learned";
    if (!sums.contains(name)) names.push_back(name);
    Sum& sum = sums[name];
    sum.rate += cell.rate();
    sum.published += cell.published_rate;
    sum.complete = sum.complete && cell.published_rate >= 0;
    // The time until a bug: of one execution over the rate.
    sum.timed = sum.timed && cell.milliseconds > 0 && cell.buggy != 0;
    if (sum.timed) sum.milliseconds += std::log(cell.milliseconds / (cell.rate() / 100));
    ++sum.count;
  }
  std::string text = "averages\n";
  for (const std::string& name : names) {
    const Sum& sum = sums[name];
    text += fmt::format(
        "  {:<24} {:>6.1f} %                    paper {:>6}   {:>9} ms of CPU to a bug (geometric mean)\n",
        name, sum.rate / sum.count, sum.complete ? fmt::format("{:.1f}", sum.published / sum.count) : "–",
        sum.timed ? fmt::format("{:.3f}", std::exp(sum.milliseconds / sum.count)) : "–");
  }
  return text;
}

std::string paper_json(const std::vector<PaperCell>& cells) {
  Json json;
  json["version"] = 1;
  json["cells"] = Json::array();
  for (const PaperCell& cell : cells) {
    const Interval interval = wilson(cell.buggy, cell.executions);
    Json entry = {{"program", cell.program},
                  {"strategy", cell.strategy},
                  {"executions", cell.executions},
                  {"buggy_executions", cell.buggy},
                  {"rate", cell.rate()},
                  {"interval", {interval.low, interval.high}},
                  {"milliseconds", cell.milliseconds}};
    if (!cell.rates.empty()) entry["rates_by_draw"] = cell.rates;
    if (!cell.firsts.empty()) entry["executions_to_first_bug"] = cell.firsts;
    if (cell.published_rate >= 0) entry["published_rate"] = cell.published_rate;
    if (cell.published_milliseconds >= 0) entry["published_milliseconds"] = cell.published_milliseconds;
    json["cells"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

}  // namespace heddle::bench
