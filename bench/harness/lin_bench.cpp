#include "bench/harness/lin_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/harness/bug_program.h"
#include "tool/bench/child_process.h"
#include "tool/linearize/check_client.h"
#include "tool/linearize/localize.h"
#include "tool/run/campaign.h"

namespace heddle::bench {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// D and H: the paper's threads meet after every one to three operations, and each such piece of a history is
// scheduled by D-PCT by itself. H: in each piece one thread does a single operation.
struct Version {
  const char* name;
  const char* strategy;
  bool in_pieces = false;
  bool one = false;
};
constexpr Version kVersions[] = {{"B", "random"}, {"D", "dpct", true}, {"H", "dpct", true, true}};

// What heddle does by itself: clients as the test describes them.
constexpr const char* kOwnStrategies[] = {"auto", "pctwm"};

std::string quantity_of(const lin::Client& client) {
  std::vector<std::size_t> sizes;
  for (const lin::Steps& steps : client.threads) sizes.push_back(steps.size());
  std::sort(sizes.begin(), sizes.end());
  return fmt::format("{}", fmt::join(sizes, ", "));
}

class LinBench {
 public:
  LinBench(const LinOptions& options, TemporaryFolder work) : options_(options), work_(std::move(work)) {}

  // `more`: the entry with flags beside the object's own.
  Result<std::string> compile(const Json& object, const std::string& more = "") const {
    const std::string name = object["name"];
    const std::string binary = work_.path() + "/" + name + more;
    std::vector<std::string> words = {options_.heddle, "c++", "-g", "-O1"};
    for (const std::string& entry : {std::string("flags"), more}) {
      for (const auto& flag : object.value(entry, std::vector<std::string>())) words.push_back(flag);
    }
    words.insert(words.end(),
                 {options_.folder + "/" + object["file"].get<std::string>(), "-o", binary, "-pthread"});
    const auto status = run_in(work_.path(), words);
    if (!status) return status.error();
    if (*status != 0) return Error{"The object " + name + " could not be compiled.", ExitCode::kBadInput};
    return binary;
  }

  // Long histories, as in the paper.
  Result<LinCell> measure(const Json& object, const std::string& binary, const Version& version) const {
    const unsigned threads = object["threads"];
    const unsigned operations = object["operations"];
    std::vector<std::string> words = {binary, "--threads", std::to_string(threads), "--operations",
                                      std::to_string(operations)};
    run::CampaignOptions campaign = campaign_options(version.strategy);
    campaign.executions = object["histories"].get<std::uint64_t>();
    campaign.max_failures = 0;
    const unsigned piece = version.one ? 3u : object.value("pieces", 3u);
    if (version.in_pieces) words.insert(words.end(), {"--pieces", std::to_string(piece)});
    if (version.one) words.emplace_back("--one");
    auto cell = detect_and_localize(object, binary, words, campaign);
    if (!cell) return cell;
    cell->version = version.name;
    cell->shape = fmt::format("{}*{}", threads, operations);
    if (object.contains(version.name)) cell->published = published(object[version.name]);
    return cell;
  }

  // Short clients until the first violation.
  Result<LinCell> measure_own(const Json& object, const std::string& binary, const char* strategy) const {
    run::CampaignOptions campaign = campaign_options(strategy);
    campaign.executions = options_.executions;
    campaign.seconds = kOwnSeconds;
    auto cell = detect_and_localize(object, binary, {binary}, campaign);
    if (!cell) return cell;
    cell->version = strategy;
    cell->shape = "own";
    return cell;
  }

  // Every client of one call in each thread, or as many calls as the object's entry says, before them and in
  // them, under every schedule.
  Result<LinCell> measure_all(const Json& object, const std::string& binary) const {
    run::CampaignOptions campaign = campaign_options("exhaustive");
    campaign.executions = options_.all_executions;
    campaign.seconds = kAllSeconds;
    const unsigned before = object.value("all_before", 0u);
    const unsigned operations = object.value("all_operations", 1u);
    auto cell = detect_and_localize(object, binary,
                                    {binary, "--threads", "2", "--operations", std::to_string(operations),
                                     "--before", std::to_string(before), "--after", "0"},
                                    campaign);
    if (!cell) return cell;
    cell->version = "all";
    cell->shape = before != 0 ? fmt::format("{}+2*{}", before, operations) : fmt::format("2*{}", operations);
    return cell;
  }

 private:
  static constexpr double kOwnSeconds = 60;
  static constexpr double kAllSeconds = 20;

  run::CampaignOptions campaign_options(const char* strategy) const {
    run::CampaignOptions campaign;
    std::strcpy(campaign.spec.strategy, strategy);
    campaign.spec.seed = options_.seed;
    campaign.output_directory.clear();
    campaign.symbolise = false;
    return campaign;
  }

  Result<LinCell> detect_and_localize(const Json& object, const std::string& binary,
                                      const std::vector<std::string>& words,
                                      const run::CampaignOptions& campaign) const {
    std::vector<std::string> notes;
    auto target = run::resolve_target(words, options_.library, notes);
    if (!target) return target.error();
    const double cpu_before = cpu_seconds_of_all();
    const run::CampaignOutcome outcome = run::Campaign(*target, campaign).run();
    if (outcome.error) return *outcome.error;
    LinCell cell;
    cell.object = object["name"];
    cell.published_quantity = object.value("table1", "");
    cell.measured.violating = outcome.report.buggy_executions;
    cell.measured.histories = outcome.report.executions;
    cell.explored_all = outcome.report.exhausted;
    cell.measured.history_milliseconds =
        1000 * outcome.report.seconds /
        static_cast<double>(std::max<std::uint64_t>(outcome.report.executions, 1));
    if (cell.measured.violating != 0) {
      cell.measured.found_milliseconds =
          1000 * (cpu_seconds_of_all() - cpu_before) / static_cast<double>(cell.measured.violating);
    }
    const auto found = linearize::violation_of(outcome);
    if (!found) return cell;
    target->argv = {binary};
    localize(cell, *target, campaign, *found);
    return cell;
  }

  // σ as in detection, and enough for what was rare there.
  static void localize(LinCell& cell, const run::Target& target, run::CampaignOptions campaign,
                       const linearize::Violated& found) {
    campaign.executions = 300;
    campaign.max_failures = 1;
    const double cpu_before = cpu_seconds_of_all();
    const auto start = std::chrono::steady_clock::now();
    double verifying = 0;
    std::optional<linearize::Localized> localized;
    {
      linearize::ClientChecker checker(target, campaign);
      localized = linearize::localize(
          found,
          [&](const lin::Client& client, const std::vector<Choice>& schedule, linearize::Effort effort) {
            const auto began = std::chrono::steady_clock::now();
            auto checked = checker(client, schedule, effort);
            if (effort == linearize::Effort::kThorough) verifying += milliseconds_since(began);
            return checked;
          });
      cell.measured.localization_milliseconds = milliseconds_since(start);
      cell.executions = checker.executions();
    }
    cell.measured.localization_cpu_milliseconds = 1000 * (cpu_seconds_of_all() - cpu_before);
    cell.measured.verification_cpu_milliseconds =
        cell.measured.localization_cpu_milliseconds * verifying / cell.measured.localization_milliseconds;
    if (!localized) return;
    const lin::Client& client = localized->violated.history.client;
    cell.measured.concurrent = linearize::concurrent_operations(client);
    cell.minimum = client.text();
    cell.quantity = quantity_of(client);
    cell.checks = localized->checks;
  }

  static LinFigures published(const Json& row) {
    LinFigures figures;
    figures.violating = row[0];
    figures.histories = row[1];
    figures.history_milliseconds = row[2];
    if (figures.violating != 0)
      figures.found_milliseconds = figures.history_milliseconds * static_cast<double>(figures.histories) /
                                   static_cast<double>(figures.violating);
    if (!row[3].is_null()) figures.concurrent = row[3].get<std::size_t>();
    if (!row[4].is_null()) figures.localization_milliseconds = row[4];
    return figures;
  }

  const LinOptions& options_;
  TemporaryFolder work_;
};

std::string share(const LinFigures& f) { return fmt::format("{}/{}", f.violating, f.histories); }
std::string size(const LinFigures& f) { return f.concurrent ? std::to_string(*f.concurrent) : "–"; }

Json json_of(const LinFigures& f) {
  Json json = {{"violating", f.violating},
               {"histories", f.histories},
               {"history_milliseconds", f.history_milliseconds},
               {"found_milliseconds", f.found_milliseconds},
               {"concurrent", nullptr},
               {"localization_milliseconds", f.localization_milliseconds},
               {"localization_cpu_milliseconds", f.localization_cpu_milliseconds},
               {"verification_cpu_milliseconds", f.verification_cpu_milliseconds}};
  if (f.concurrent) json["concurrent"] = *f.concurrent;
  return json;
}

}  // namespace

Result<std::vector<LinCell>> run_lin(const LinOptions& options,
                                     const std::function<void(const LinCell&)>& row) {
  std::ifstream file(options.folder + "/papers.json");
  const Json papers = Json::parse(file, nullptr, false);
  if (papers.is_discarded())
    return Error{"The published figures cannot be read from " + options.folder + "/papers.json.",
                 ExitCode::kBadInput};
  auto work = TemporaryFolder::make();
  if (!work) return work.error();
  const LinBench bench(options, std::move(*work));
  std::vector<LinCell> cells;
  const auto add = [&](Result<LinCell> cell) -> Status {
    if (!cell) return cell.error();
    row(*cell);
    cells.push_back(std::move(*cell));
    return Done{};
  };
  for (const Json& object : papers[options.correct ? "correct" : "objects"]) {
    const std::string name = object["name"];
    if (!options.objects.empty() &&
        std::find(options.objects.begin(), options.objects.end(), name) == options.objects.end())
      continue;
    auto binary = bench.compile(object);
    if (!binary) return binary.error();
    if (!options.correct) {
      auto of_long = object.contains("long_flags") ? bench.compile(object, "long_flags") : binary;
      if (!of_long) return of_long.error();
      for (const Version& version : kVersions) {
        if (auto added = add(bench.measure(object, *of_long, version)); !added) return added.error();
      }
    }
    for (const char* strategy : kOwnStrategies) {
      if (auto added = add(bench.measure_own(object, *binary, strategy)); !added) return added.error();
    }
    if (auto added = add(bench.measure_all(object, *binary)); !added) return added.error();
  }
  return cells;
}

std::string lin_head() {
  return fmt::format(
      "{:<14} {:<5} {:<6} {:>9} {:>7}  {:>9} {:>7}  {:>8} {:>7}  {:>3} {:>5}  {:>9} {:>9} {:>9} {:>6}  {:<8} "
      "{:<6} {}\n",
      "object", "", "client", "violating", "paper", "ms each", "paper", "find CPU", "paper", "Pc", "paper",
      "localize", "CPU", "verifying", "paper", "threads", "paper", "minimum test");
}

std::string lin_row(const LinCell& cell) {
  const LinFigures& m = cell.measured;
  const auto& p = cell.published;
  const auto found = [](const LinFigures& f) {
    return f.found_milliseconds != 0 ? fmt::format("{:.0f}", f.found_milliseconds) : std::string("–");
  };
  return fmt::format(
      "{:<14} {:<5} {:<6} {:>9} {:>7}  {:>9.2f} {:>7}  {:>8} {:>7}  {:>3} {:>5}  {:>6.0f} ms {:>6.0f} ms "
      "{:>6.0f} ms {:>6}  {:<8} {:<6} {}\n",
      cell.object, cell.version, cell.shape, share(m), p ? share(*p) : "", m.history_milliseconds,
      p ? fmt::format("{:.0f}", p->history_milliseconds) : "", found(m), p ? found(*p) : "", size(m),
      p ? size(*p) : "", m.localization_milliseconds, m.localization_cpu_milliseconds,
      m.verification_cpu_milliseconds,
      p && p->concurrent ? fmt::format("{:.0f}", p->localization_milliseconds) : "", cell.quantity,
      cell.published_quantity, cell.explored_all ? "all executions were explored" : cell.minimum);
}

std::string lin_json(const std::vector<LinCell>& cells) {
  Json list = Json::array();
  for (const LinCell& cell : cells) {
    Json entry = {{"object", cell.object},
                  {"version", cell.version},
                  {"client", cell.shape},
                  {"measured", json_of(cell.measured)},
                  {"threads", cell.quantity},
                  {"checks", cell.checks},
                  {"executions", cell.executions},
                  {"minimum", cell.minimum},
                  {"explored_all", cell.explored_all}};
    if (cell.published) entry["paper"] = json_of(*cell.published);
    if (!cell.published_quantity.empty()) entry["paper_threads"] = cell.published_quantity;
    list.push_back(std::move(entry));
  }
  return list.dump(2) + "\n";
}

}  // namespace heddle::bench
