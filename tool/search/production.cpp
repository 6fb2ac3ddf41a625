#include "tool/search/production.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tool/artifact/atomic_file.h"
#include "tool/search/path_steps.h"

namespace heddle::search {
namespace {

constexpr const char* kDatabaseFile = "paths.heddledb";
constexpr const char* kReadFile = "paths.read";  // names of logs that the database has

std::set<std::string> names_read(const std::string& folder) {
  std::set<std::string> names;
  std::ifstream in(folder + "/" + kReadFile);
  for (std::string line; std::getline(in, line);) names.insert(line);
  return names;
}

}  // namespace

LoggedPaths logged_paths(const PathLog& log) {
  LoggedPaths paths;
  for (const heddle::ThreadPath& thread : log.threads) {
    Path& path = paths[thread.name];
    for (const PathStep& step : thread.steps) {
      if (step.is_decision())
        path.push_back(path_step(static_cast<std::uint64_t>(step.place), static_cast<std::uint8_t>(step.kind),
                                 step.outcome));
    }
  }
  return paths;
}

bool has_passed(const PathLog& log) {
  return log.outcome.kind == record::OutcomeKind::kExited && log.outcome.status == 0;
}
bool has_failed(const PathLog& log) {
  return !has_passed(log) && log.outcome.kind != record::OutcomeKind::kUnknown;
}

Result<ProductionRuns> read_runs(const std::string& folder, const std::string& program) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kDatabaseFile && name != kReadFile) files.push_back(name);
  }
  if (error) return Error{"Cannot read the folder " + folder + ": " + error.message() + "."};
  std::sort(files.begin(), files.end());
  auto tables = PathTables::read(program);
  if (!tables) return tables.error();
  ProductionRuns runs;
  std::set<std::string> read;
  const std::string file = folder + "/" + kDatabaseFile;
  if (std::filesystem::exists(file)) {
    auto known = PathDatabase::read(file);
    if (!known) return known.error();
    runs.database = std::move(*known);
    read = names_read(folder);
  }
  const std::size_t before = read.size();
  for (const std::string& name : files) {
    if (read.contains(name)) continue;
    auto log = read_path_log(folder + "/" + name, *tables);
    if (!log || log->incomplete) {
      ++runs.unusable;
      if (runs.first_problem.empty())
        runs.first_problem = log ? name + " ends before the run did." : log.error().message;
      continue;
    }
    ++runs.logs;
    if (!has_passed(*log)) {
      ++runs.failed;
      continue;
    }
    runs.database.add(logged_paths(*log));
    read.insert(name);
  }
  if (read.size() != before) {
    std::string names;
    for (const std::string& name : read) names += name + "\n";
    if (auto written = runs.database.write(file); !written) return written.error();
    if (auto written = write_file_atomically(folder + "/" + kReadFile, names); !written)
      return written.error();
  }
  return runs;
}

}  // namespace heddle::search
