#include "bench/harness/coop_bench.h"
#include "bench/harness/thesis_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/harness/coop_recording.h"
#include "core/base/random.h"
#include "tool/base/atomic_file.h"
#include "tool/bench/child_process.h"
#include "tool/merge/replay/engine_oracle.h"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using CoopJson = nlohmann::ordered_json;
using CoopClock = std::chrono::steady_clock;

// A run that takes so long hangs.
constexpr const char* kHangsAfter = "0.5";
constexpr const char* kShares[] = {"25", "50", "75"};

struct CoopProgram {
  std::string name, source;
  bool hangs = false;
};

Result<CoopJson> read_thesis(const CoopOptions& options) {
  const std::string path = options.folder + "/thesis.json";
  auto text = read_whole_file(path, 1 << 20);
  if (!text) return text.error();
  CoopJson document = CoopJson::parse(*text, nullptr, false);
  if (document.is_discarded() || !document.contains("programs"))
    return Error{path + " is not the list of programs.", ExitCode::kBadInput};
  return document;
}

Result<std::vector<CoopProgram>> coop_programs(const CoopOptions& options) {
  const auto thesis = read_thesis(options);
  if (!thesis) return thesis.error();
  std::vector<CoopProgram> all;
  for (const CoopJson& entry : (*thesis)["programs"]) {
    const std::string name = entry["name"], source = entry["source"];
    const auto& wanted = options.programs;
    if (wanted.empty() || std::ranges::count(wanted, name) != 0 ||
        std::ranges::count(wanted, source.substr(0, source.find('.'))) != 0)
      all.push_back({name, options.folder + "/" + source, entry.value("hangs", false)});
  }
  if (all.empty()) return Error{"There is no such program.", ExitCode::kBadInput};
  return all;
}

std::vector<std::string> native_command(const std::string& record, const std::string& binary) {
  return {"env",     record.empty() ? "HEDDLE_RECORD=" : "HEDDLE_RECORD=" + record,
          "timeout", "-s",
          "KILL",    kHangsAfter,
          binary};
}

// Elements that no run accessed are none of the program's, as in the thesis' counts.
void drop_untouched(RecordedRuns& recorded) {
  std::set<std::uint64_t> touched;
  for (const auto* logs : {&recorded.failing, &recorded.passing}) {
    for (const AccessLog& log : *logs) {
      for (const AccessVector& v : log.vectors) {
        if (!v.runs.empty()) touched.insert(v.element);
      }
    }
  }
  for (auto* logs : {&recorded.failing, &recorded.passing}) {
    for (AccessLog& log : *logs) {
      std::erase_if(log.vectors, [&](const AccessVector& v) { return !touched.contains(v.element); });
      log.elements_in_all = static_cast<std::uint32_t>(touched.size());
    }
  }
}

// §3.5.1: partial logs are complete ones of which a share of the elements is kept, picked at random.
AccessLog partial(const AccessLog& log, const std::string& share, Random& random) {
  AccessLog part = log;
  const std::size_t all = part.vectors.size();
  const std::size_t kept = share == "1" ? 1 : std::max<std::size_t>(1, all * std::stoul(share) / 100);
  for (std::size_t i = 0; i < kept && i < all; ++i)
    std::swap(part.vectors[i], part.vectors[i + random.below(static_cast<std::uint32_t>(all - i))]);
  part.vectors.resize(std::min(kept, all));
  return part;
}

Result<std::unique_ptr<merge::LogStore>> partial_logs(const RecordedRuns& recorded, const std::string& share,
                                                      std::size_t count, std::uint64_t seed) {
  auto store = merge::LogStore::open("");
  if (!store) return store.error();
  Random random(seed);
  for (std::size_t i = 0; i < recorded.failing.size() && i < count; ++i) {
    AccessLog part = partial(recorded.failing[i], share, random);
    if (auto added = (*store)->add(part); !added) return added.error();
  }
  for (const AccessLog& log : recorded.passing) {
    if (auto added = (*store)->add(partial(log, share, random)); !added) return added.error();
  }
  return store;
}

struct Way {
  const char* name;
  merge::Heuristic heuristic;
  bool faithful;  // as in the thesis: no pruning, nothing taken apart
};
constexpr Way kWays[] = {{"SGM", merge::Heuristic::kSgm, true},
                         {"DGM", merge::Heuristic::kDgm, true},
                         {"ours", merge::Heuristic::kBoth, false}};

class CoopMeasurement {
 public:
  CoopMeasurement(const CoopOptions& options, const run::Target& target)
      : options_(options), target_(target) {}

  // The median over the sets; none where most of them were not replayed.
  Result<Attempts> attempts(const RecordedRuns& recorded, const std::string& share, const Way& way,
                            merge::Metric metric, std::size_t logs, double* rank_seconds = nullptr) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t set = 0; set < options_.sets; ++set) {
      auto store = partial_logs(recorded, share, logs, mix(options_.seed, set));
      if (!store) return store.error();
      auto bugs = (*store)->bugs();
      if (!bugs) return bugs.error();
      if (bugs->empty()) return Attempts{};
      const merge::BugLogs& bug = *bugs->front();
      merge::EngineOptions engine;
      engine.scheme = bug.kind.scheme;
      engine.place = bug.place;
      engine.seconds = 5;
      merge::EngineOracle oracle(target_, bug.logs, (*store)->threads(), engine);
      merge::SearchOptions search;
      search.metric = metric;
      search.heuristic = way.heuristic;
      search.attempts = options_.attempts;
      search.seed = mix(options_.seed, set);
      search.jobs = 2;
      search.brute_force = !way.faithful;
      search.prune = !way.faithful;
      search.guided = way.faithful ? 0 : 4;
      // The thesis as well completes a log and then applies PRES's replay to it (§3.5.3.2).
      search.feedback = bug.kind.scheme == AccessScheme::kBlocks ? 16 : 0;
      const auto show = [&](std::uint64_t number, const merge::Candidate& candidate,
                            const merge::Attempt& attempt) {
        if (!options_.verbose) return;
        fmt::print(stderr, "{}, {} %, set {}: attempt {}: base {}, {} open, {} stuck: {}\n", way.name, share,
                   set, number, candidate.base, std::ranges::count(candidate.vectors, merge::kNone),
                   attempt.stuck.size(),
                   attempt.verdict == merge::Verdict::kReproduced   ? "reproduced"
                   : attempt.verdict == merge::Verdict::kInfeasible ? "infeasible"
                                                                    : "passed");
      };
      const auto outcome = merge::search(bug.logs, oracle, search, show);
      if (!outcome) return outcome.error();
      if (rank_seconds != nullptr) *rank_seconds = outcome->relevance_seconds;
      all.push_back(outcome->reproduced ? outcome->attempts : ~std::uint64_t{0});
    }
    std::sort(all.begin(), all.end());
    const std::uint64_t median = all[(all.size() - 1) / 2];
    return median == ~std::uint64_t{0} ? Attempts{} : Attempts{median};
  }

 private:
  const CoopOptions& options_;
  const run::Target& target_;
};

CoopRange range_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  CoopRange range{values[0], 0, values[0]};
  for (const double v : values) {
    range.least = std::min(range.least, v);
    range.most = std::max(range.most, v);
    range.mean += v / static_cast<double>(values.size());
  }
  return range;
}

// What complete logs say of a program.
Status describe_elements(const RecordedRuns& recorded, CoopScheme& scheme) {
  std::map<std::uint64_t, double> accesses;
  for (const AccessLog& log : recorded.failing) {
    for (const AccessVector& vector : log.vectors) {
      double& of_element = accesses[vector.element];
      for (const ThreadRun& run : vector.runs)
        of_element += static_cast<double>(run.accesses) / static_cast<double>(recorded.failing.size());
    }
  }
  std::vector<double> each;
  for (const auto& [element, count] : accesses) {
    each.push_back(count);
    scheme.total_accesses += count;
  }
  scheme.elements = accesses.size();
  scheme.accesses = range_of(each);
  auto store = merge::LogStore::open("");
  for (const AccessLog& log : recorded.failing) {
    if (auto added = (*store)->add(log); !added) return added.error();
  }
  auto bugs = (*store)->bugs();
  if (!bugs) return bugs.error();
  if (bugs->empty()) return Done{};
  std::vector<double> dispersion;
  for (merge::ElementIndex e = 0; e < bugs->front()->logs.elements(); ++e)
    dispersion.push_back(merge::individual_dispersion(bugs->front()->logs, e));
  scheme.dispersion = range_of(dispersion);
  return Done{};
}

// Sizes as they are kept, of ten logs (§3.5.6).
Status measure_sizes(const RecordedRuns& recorded, const std::string& folder, CoopScheme& scheme) {
  Random random(7);
  for (const std::string share : {"100", "75", "50", "25", "1"}) {
    std::vector<double> bytes;
    const std::size_t count = std::min<std::size_t>(10, recorded.failing.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::string path = folder + "/size.log";
      const AccessLog& log = recorded.failing[i];
      if (auto written = write_access_log(path, share == "100" ? log : partial(log, share, random)); !written)
        return written;
      bytes.push_back(static_cast<double>(fs::file_size(path)));
    }
    scheme.bytes[share] = range_of(bytes);
  }
  return Done{};
}

// CPU of runs with and without recording, in turns; runs that hang use as little of it either way.
Status measure_overhead(const std::string& folder, const std::string& binary, const std::string& kind,
                        CoopRow& row, CoopScheme& scheme) {
  constexpr int kRuns = 15;
  const std::string logs = folder + "/over";
  std::map<std::string, std::vector<double>> seconds;
  for (int i = 0; i < kRuns; ++i) {
    for (const std::string share : {"0", "100", "75", "50", "25"}) {
      fs::create_directories(logs);
      const auto finished = run_measured(
          folder, native_command(share == "0" ? "" : kind + ":" + logs + ",share=" + share, binary));
      if (!finished) return finished.error();
      seconds[share].push_back(finished->cpu_seconds);
      fs::remove_all(logs);
    }
  }
  row.native_seconds = range_of(seconds["0"]).mean;
  const auto percent = [&](double recorded) { return 100 * (recorded / row.native_seconds - 1); };
  for (const auto& [share, recorded] : seconds) {
    const CoopRange range = range_of(recorded);
    if (share != "0")
      scheme.overhead[share] = {percent(range.least), percent(range.mean), percent(range.most)};
  }
  return Done{};
}

Status measure_scheme(const CoopOptions& options, const run::Target& target, const std::string& folder,
                      const RecordingOptions& recording, CoopRow& row, CoopScheme& scheme,
                      RecordedRuns& recorded) {
  const std::string& kind = recording.kind;
  auto logs = record_runs(folder, target.path, recording);
  if (!logs) return logs.error();
  recorded = std::move(*logs);
  drop_untouched(recorded);
  scheme.recorded = !recorded.failing.empty();
  if (!scheme.recorded) return Done{};
  if (auto described = describe_elements(recorded, scheme); !described) return described;
  if (auto sized = measure_sizes(recorded, folder, scheme); !sized) return sized;
  if (options.metrics) {
    if (auto measured = measure_overhead(folder, target.path, kind, row, scheme); !measured) return measured;
  }
  if (!options.variables && kind == "vars") return Done{};
  CoopMeasurement measurement(options, target);
  for (const Way& way : kWays) {
    const auto& wanted = options.ways;
    if (!wanted.empty() && std::ranges::count(wanted, way.name) == 0) continue;
    for (const std::string share : {"1", "25", "50", "75"}) {
      // One element each: not the heuristics' business (the thesis' "-"), and the column 1SPE has it once.
      const bool is_single = scheme.elements * std::stoul(share) / 100 <= 1 || share == "1";
      if (is_single && share != "1") continue;
      if (share == "1" && std::string(way.name) == "DGM") continue;
      auto attempts =
          measurement.attempts(recorded, share, way, merge::Metric::kDsim, recorded.failing.size());
      if (!attempts) return attempts.error();
      scheme.attempts[way.name][share] = *attempts;
    }
  }
  return Done{};
}

Status measure_metrics(const CoopOptions& options, const run::Target& target, const RecordedRuns& recorded,
                       CoopRow& row) {
  CoopMeasurement measurement(options, target);
  constexpr std::pair<const char*, merge::Metric> kMetrics[] = {
      {"PSIM", merge::Metric::kPsim}, {"DSIM", merge::Metric::kDsim}, {"DHS", merge::Metric::kDhs}};
  for (const auto& [name, metric] : kMetrics) {
    for (const std::string share : kShares) {
      if (row.variables.elements * std::stoul(share) / 100 <= 1) continue;
      double seconds = 0;
      auto attempts =
          measurement.attempts(recorded, share, kWays[0], metric, recorded.failing.size(), &seconds);
      if (!attempts) return attempts.error();
      row.by_metric[name][share] = *attempts;
      row.rank_seconds[name][share] = seconds;
    }
  }
  return Done{};
}

Status measure_counts(const CoopOptions& options, const run::Target& target, const RecordedRuns& recorded,
                      CoopRow& row) {
  CoopMeasurement measurement(options, target);
  for (std::size_t logs = 16; logs <= 512 && logs <= recorded.failing.size(); logs *= 2) {
    for (const Way& way : kWays) {
      for (const std::string share : kShares) {
        if (row.variables.elements * std::stoul(share) / 100 <= 1) continue;
        auto attempts = measurement.attempts(recorded, share, way, merge::Metric::kDsim, logs);
        if (!attempts) return attempts.error();
        row.by_count[logs][way.name][share] = *attempts;
      }
    }
  }
  return Done{};
}

// As a fleet has it: with the elements that in-house runs saw shared. All of them, as the thesis does, which
// records LEAP's: what locks protect is not left out.
Status build_coop_program(const CoopOptions& options, const std::string& folder, const CoopProgram& program,
                          const std::string& binary) {
  if (fs::exists(binary)) return Done{};  // CoopOptions::kept
  const auto status = run_in(
      folder, {options.heddle, "c++", "--full", "-g", "-O1", "-std=c++17", program.source, "-o", binary});
  if (!status) return status.error();
  if (*status != 0) return Error{program.name + " could not be compiled.", ExitCode::kBadInput};
  const auto profiled = run_in(folder, {options.heddle, "record", "--profile", "--all", "--", binary});
  if (!profiled) return profiled.error();
  if (*profiled != 0) return Error{program.name + " could not be profiled.", ExitCode::kOwnError};
  return Done{};
}

Result<CoopRow> measure_coop(const CoopOptions& options, const std::string& work,
                             const CoopProgram& program) {
  CoopRow row;
  row.program = program.name;
  const std::string folder =
      (options.kept.empty() ? work : options.kept) + "/" + fs::path(program.source).stem().string();
  fs::create_directories(folder);
  const std::string binary = folder + "/program";
  if (auto built = build_coop_program(options, folder, program, binary); !built) return built.error();
  std::vector<std::string> notes;
  const auto target = run::resolve_target({binary}, options.library, notes);
  if (!target) return target.error();
  RecordedRuns recorded;
  RecordingOptions recording;
  recording.failing = options.logs;
  recording.passing = options.passing;
  recording.seconds = options.record_seconds;
  recording.hangs = program.hangs;
  if (!options.kept.empty()) recording.kept = folder + "/vars";
  if (auto done = measure_scheme(options, *target, folder, recording, row, row.variables, recorded); !done)
    return done.error();
  row.runs = recorded.runs;
  row.failing = recorded.failing.size();
  row.passing = recorded.passing.size();
  row.failure_percent = recorded.runs == 0
                            ? 0
                            : 100 * static_cast<double>(recorded.failed) / static_cast<double>(recorded.runs);
  if (!row.variables.recorded) {
    row.problem = fmt::format("no failing log in {} native runs", row.runs);
    return row;
  }
  if (options.metrics) {
    if (auto done = measure_metrics(options, *target, recorded, row); !done) return done.error();
  }
  const bool counted =
      program.name == "Deadlock" || program.name == "BoundedBuffer" || program.name == "Piper";
  if (options.counts && counted) {
    if (auto done = measure_counts(options, *target, recorded, row); !done) return done.error();
  }
  if (options.blocks) {
    RecordedRuns blocks;
    recording.kind = "blocks";
    if (!options.kept.empty()) recording.kept = folder + "/blocks";
    if (auto done = measure_scheme(options, *target, folder, recording, row, row.blocks, blocks); !done)
      return done.error();
  }
  return row;
}

}  // namespace

Result<std::vector<CoopRow>> run_coop(const CoopOptions& options,
                                      const std::function<void(const CoopRow&)>& row) {
  const auto programs = coop_programs(options);
  if (!programs) return programs.error();
  return measure_each<CoopRow>(*programs, row, [&](const std::string& folder, const CoopProgram& program) {
    return measure_coop(options, folder, program);
  });
}

}  // namespace heddle::bench
