#include "bench/harness/apps_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tool/bench/build_kinds.h"
#include "tool/bench/child_process.h"

namespace heddle::bench {
namespace {

struct App {
  std::string name;
  std::vector<std::string> sources;  // beside the others, or of the package
  std::vector<std::string> flags;
  std::vector<std::string> arguments;
  std::vector<std::vector<std::string>> variants;  // options of heddle run
  std::string package;                             // of Debian; empty: ours
  bool cxx = true;
};

std::vector<App> all_apps() {
  return {
      {"logger", {"logger.cpp"}, {}, {"1000000"}, {{}}, {}},
      {"store", {"store.cpp"}, {}, {"100000"}, {{}}, {}},
      {"database",
       {"database.cpp"},
       {},
       {"50000"},
       {{"--volatile", "relaxed"}, {"--volatile", "acqrel"}},
       {}},
      {"orderbook", {"orderbook.cpp"}, {"-mcx16", "-lcds"}, {"10000"}, {{}}, {}},
      {"pbzip2",
       {"pbzip2.cpp", "BZ2StreamScanner.cpp", "ErrorContext.cpp"},
       {"-DUSE_STACKSIZE_CUSTOMIZATION", "-fpermissive", "-w", "-lbz2"},
       {"-k", "-f", "-p3", "-b1", "input"},
       {{}},
       "pbzip2"},
      {"pigz",
       {"pigz.c", "yarn.c", "try.c"},
       {"-DNOZOPFLI", "-w", "-lz", "-lm"},
       {"-k", "-f", "-p", "3", "-b", "128", "input"},
       {{}},
       "pigz",
       false},
  };
}

class AppsBench {
 public:
  AppsBench(const AppsOptions& options, TemporaryFolder work) : options_(options), work_(std::move(work)) {}

  Status build(const App& app) const {
    std::string folder = options_.folder;
    if (!app.package.empty()) {
      folder = work_.path() + "/" + app.package + "-source";
      const auto status = run_in(work_.path(), {options_.folder + "/fetch_package", app.package, folder});
      if (!status) return status.error();
      if (*status != 0)
        return Error{"The source of Debian's " + app.package +
                     " could not be fetched. Is there a network, and apt-get and dpkg-source?"};
      write_input();
    }
    for (const std::string& kind : kBuildKinds) {
      const std::string compiler = app.cxx ? options_.compiler : c_compiler_of(options_.compiler);
      std::vector<std::string> command = compile_command(kind, options_.heddle, compiler, app.cxx);
      if (app.cxx) command.emplace_back("-std=c++17");
      append(command, {"-O2", "-g", "-pthread"});
      for (const std::string& source : app.sources) command.push_back(folder + "/" + source);
      append(command, {"-o", app.name + "-" + kind});
      append(command, app.flags);
      const auto status = run_in(work_.path(), command);
      if (!status) return status.error();
      if (*status != 0) return Error{fmt::format("{} cannot build {} ({}).", compiler, app.name, kind)};
    }
    return Done{};
  }

  Result<AppResult> run_native(const App& app) const {
    std::vector<std::string> command = {"taskset", "-c", "0", "./" + app.name + "-native"};
    append(command, app.arguments);
    return measured(app, "native", command);
  }

  Result<AppResult> run_tsan(const App& app) const {
    // Addresses are not randomised: older ThreadSanitizers refuse some layouts.
    std::vector<std::string> command = {
        "env", "TSAN_OPTIONS=log_path=tsan-log", "setarch", "-R", "taskset", "-c",
        "0",   "./" + app.name + "-tsan"};
    append(command, app.arguments);
    remove_logs();
    auto result = measured(app, "tsan", command);
    if (!result) return result;
    for (const auto& entry : std::filesystem::directory_iterator(work_.path())) {
      if (entry.path().filename().string().rfind("tsan-log", 0) != 0) continue;
      std::ifstream file(entry.path());
      constexpr std::string_view kLead = "WARNING: ThreadSanitizer: ";
      for (std::string line; std::getline(file, line);) {
        if (line.rfind(kLead, 0) == 0)
          result->findings.push_back(line.substr(kLead.size(), line.find(" (") - kLead.size()));
      }
    }
    return result;
  }

  Result<AppResult> run_heddle(const App& app, const std::string& strategy,
                               const std::vector<std::string>& variant) const {
    std::vector<std::string> command = {"taskset",
                                        "-c",
                                        "0",
                                        options_.heddle,
                                        "run",
                                        "-q",
                                        "--no-progress",
                                        "-n",
                                        "1",
                                        "-j",
                                        "1",
                                        "--seed",
                                        "1",
                                        "--max-steps",
                                        "1000000000",
                                        "--timeout",
                                        "600s",
                                        "--max-failures",
                                        "0",
                                        "-s",
                                        strategy,
                                        "--json",
                                        "report.json"};
    append(command, variant);
    append(command, {"--", "./" + app.name + "-heddle"});
    append(command, app.arguments);
    std::filesystem::remove(work_.path() + "/report.json");
    auto result = measured(
        app, strategy + (variant.empty() ? "" : " " + fmt::format("{}", fmt::join(variant, " "))), command);
    if (!result) return result;
    std::ifstream file(work_.path() + "/report.json");
    const auto report = nlohmann::json::parse(file, nullptr, false);
    if (!report.is_object())
      return Error{fmt::format("heddle run of {} wrote no report (status {}).", app.name, result->status),
                   ExitCode::kOwnError};
    for (const auto& finding : report["findings"]) result->findings.push_back(finding["kind"]);
    return result;
  }

 private:
  Result<AppResult> measured(const App& app, const std::string& how,
                             const std::vector<std::string>& command) const {
    const auto finished = run_measured(work_.path(), command);
    if (!finished) return finished.error();
    return AppResult{
        app.name, how, finished->status, finished->seconds, finished->cpu_seconds, finished->kilobytes,
        {},       0};
  }

  void remove_logs() const {
    std::vector<std::filesystem::path> logs;
    for (const auto& entry : std::filesystem::directory_iterator(work_.path())) {
      if (entry.path().filename().string().rfind("tsan-log", 0) == 0) logs.push_back(entry.path());
    }
    for (const auto& log : logs) std::filesystem::remove(log);
  }

  // What the compressors are given: a megabyte that can be compressed a little.
  void write_input() const {
    std::ofstream file(work_.path() + "/input", std::ios::binary);
    std::uint64_t state = 1;
    for (int i = 0; i < 1 << 20; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      file.put(static_cast<char>('a' + (state >> 60)));
    }
  }

  const AppsOptions& options_;
  TemporaryFolder work_;
};

Result<std::vector<App>> chosen_apps(const AppsOptions& options) {
  std::vector<App> all = all_apps();
  if (options.programs.empty()) {
    std::erase_if(all, [&](const App& app) { return !app.package.empty() && !options.packages; });
    return all;
  }
  std::vector<App> chosen;
  for (const std::string& name : options.programs) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const App& app) { return app.name == name; });
    if (found == all.end()) return Error{"There is no application " + name + "."};
    chosen.push_back(*found);
  }
  return chosen;
}

std::string findings_text(const std::vector<std::string>& findings) {
  std::map<std::string, int> counts;
  for (const std::string& kind : findings) ++counts[kind];
  std::string text;
  for (const auto& [kind, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  return text.empty() ? "–" : text;
}

}  // namespace

Result<std::vector<AppResult>> run_apps(const AppsOptions& options,
                                        const std::function<void(const AppResult&)>& row) {
  const auto apps = chosen_apps(options);
  if (!apps) return apps.error();
  auto work = TemporaryFolder::make();
  if (!work) return work.error();
  const AppsBench bench(options, std::move(*work));
  const std::vector<std::string> strategies = options.strategies.empty()
                                                  ? std::vector<std::string>{"random", "pct", "pctwm", "pos"}
                                                  : options.strategies;
  std::vector<AppResult> results;
  for (const App& app : *apps) {
    if (auto built = bench.build(app); !built) return built.error();
    const auto add = [&](Result<AppResult> result) -> Status {
      if (!result) return result.error();
      row(*result);
      results.push_back(std::move(*result));
      return Done{};
    };
    if (auto status = add(bench.run_native(app)); !status) return status.error();
    if (auto status = add(bench.run_tsan(app)); !status) return status.error();
    const double tsan = results.back().cpu_seconds;
    for (const std::vector<std::string>& variant : app.variants) {
      for (const std::string& strategy : strategies) {
        auto result = bench.run_heddle(app, strategy, variant);
        if (result && tsan > 0) result->to_tsan = result->cpu_seconds / tsan;
        if (auto status = add(std::move(result)); !status) return status.error();
      }
    }
  }
  return results;
}

std::string app_row(const AppResult& result) {
  const std::string ratio = result.to_tsan > 0 ? fmt::format("{:.1f} ×", result.to_tsan) : "";
  return fmt::format("{:<10} {:<28} {:>8.2f} s {:>8.2f} CPU s {:>8.1f} MB {:>8}   {}\n", result.program,
                     result.how, result.seconds, result.cpu_seconds,
                     static_cast<double>(result.kilobytes) / 1024, ratio, findings_text(result.findings));
}

std::string apps_json(const std::vector<AppResult>& results) {
  nlohmann::ordered_json json;
  json["version"] = 1;
  json["results"] = nlohmann::ordered_json::array();
  for (const AppResult& r : results)
    json["results"].push_back({{"program", r.program},
                               {"how", r.how},
                               {"status", r.status},
                               {"seconds", r.seconds},
                               {"cpu_seconds", r.cpu_seconds},
                               {"kilobytes", r.kilobytes},
                               {"findings", r.findings}});
  return json.dump(2) + "\n";
}

}  // namespace heddle::bench
