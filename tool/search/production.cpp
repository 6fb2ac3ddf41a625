#include "tool/search/production.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <span>

#include "core/record/run_identity.h"
#include "tool/base/atomic_file.h"
#include "tool/run/time_limit.h"
#include "tool/search/path_steps.h"
#include "tool/search/waiting_rounds.h"

namespace heddle::search {
namespace {

constexpr std::string_view kDatabase = ".heddledb";
constexpr std::string_view kRead = ".heddledb-logs";  // names of logs that the database has

std::set<std::string> names_read(const std::string& file) {
  std::set<std::string> names;
  std::ifstream in(file);
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

LoggedEnd logged_end(const PathLog& log) {
  if (has_passed(log)) return {};
  if (log.outcome.kind == record::OutcomeKind::kUnknown) return {true, "", true, true};
  return {true, log.ended_by, false, log.outcome.kind == record::OutcomeKind::kSignal};
}

namespace {

std::vector<const char*> words_of(const run::Target& target) {
  std::vector<const char*> words;
  for (const std::string& argument : target.argv) words.push_back(argument.c_str());
  words.push_back(nullptr);
  return words;
}

void add_other_arguments(const record::RunParts& there, const record::RunParts& here,
                         const run::Target& target, std::vector<std::string>& others) {
  if (there.arguments != here.arguments) {
    others.push_back(fmt::format("it had {} argument{}, not {}", there.arguments,
                                 there.arguments == 1 ? "" : "s", here.arguments));
    return;
  }
  for (std::uint32_t i = 0; i < std::min(here.arguments, record::RunParts::kMostArguments); ++i) {
    if (there.argument[i] != here.argument[i])
      others.push_back(fmt::format("argument {} is {} here, and was another one", i + 1,
                                   "\"" + target.argv[i + 1] + "\""));
  }
}

void add_other_variables(const record::RunParts& there, const record::RunParts& here,
                         std::vector<std::string>& others) {
  const auto listed = [](const record::RunParts& parts) {
    return std::span(parts.variable, std::min(parts.variables, record::RunParts::kMostVariables));
  };
  std::size_t common = 0;
  for (const char* const* at = environ; *at != nullptr; ++at) {
    if (record::is_ignored(*at)) continue;
    const std::string variable = *at;
    const std::string name = variable.substr(0, variable.find('='));
    const std::uint32_t hash = record::name_hash(*at);
    const auto of_name = [&](const auto& one) { return one.name == hash; };
    const auto all_there = listed(there), all_here = listed(here);
    const auto that = std::find_if(all_there.begin(), all_there.end(), of_name);
    const auto own = std::find_if(all_here.begin(), all_here.end(), of_name);
    if (that == all_there.end()) {
      others.push_back(fmt::format("{} is set here, and was not there", name));
      continue;
    }
    ++common;
    if (own != all_here.end() && own->value != that->value)
      others.push_back(fmt::format("{} has another value", name));
  }
  if (const std::size_t more = listed(there).size(); more > common)
    others.push_back(fmt::format("{} variable{} of the environment {} not set here (a log has no names)",
                                 more - common, more - common == 1 ? "" : "s",
                                 more - common == 1 ? "is" : "are"));
}

}  // namespace

std::uint64_t run_identity(const run::Target& target) {
  return record::run_identity(words_of(target).data(), environ);
}

std::vector<std::string> other_parts(const record::RunParts& logged, const run::Target& target) {
  std::vector<std::string> others;
  if (logged.known == 0) return others;
  const record::RunParts here = record::run_parts(words_of(target).data(), environ);
  add_other_arguments(logged, here, target, others);
  add_other_variables(logged, here, others);
  if (logged.input != here.input)
    others.push_back(logged.input == 0 ? "standard input is a file here, and was none"
                     : here.input == 0 ? "standard input was a file, and is none here"
                                       : "standard input is another file, or has changed");
  return others;
}

Result<ProductionRuns> read_runs(const std::string& folder, const std::string& program,
                                 std::optional<std::uint64_t> run) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && !name.ends_with(kDatabase) && !name.ends_with(kRead))
      files.push_back(name);
  }
  if (error) return Error{"Cannot read the folder " + folder + ": " + error.message() + "."};
  std::sort(files.begin(), files.end());
  auto tables = PathTables::read(program);
  if (!tables) return tables.error();
  ProductionRuns runs;
  std::set<std::string> read;
  // One database for each input, since paths of one are not to be expected of another.
  const std::string stem = folder + (run ? fmt::format("/paths-{:016x}", *run) : "/paths");
  const std::string file = stem + std::string(kDatabase);
  if (std::filesystem::exists(file)) {
    auto known = PathDatabase::read(file);
    if (!known) return known.error();
    runs.database = std::move(*known);
    read = names_read(stem + std::string(kRead));
  }
  const std::size_t before = read.size();
  for (const std::string& name : files) {
    if (read.contains(name)) continue;
    if (run::time_is_up()) {
      ++runs.unread;
      continue;
    }
    auto log = read_path_log(folder + "/" + name, *tables);
    // (Who fails may not have the time to write everything; that is for `heddle reconstruct` to deal with.)
    if (!log || (log->incomplete && !has_failed(*log))) {
      ++runs.unusable;
      if (runs.first_problem.empty())
        runs.first_problem = log ? name + " ends before the run did." : log.error().message;
      continue;
    }
    if (run && log->run != *run) {
      runs.others.push_back(name);
      continue;
    }
    ++runs.logs;
    if (!has_passed(*log)) {
      ++runs.failed;
      continue;
    }
    LoggedPaths paths = logged_paths(*log);
    for (auto& [thread, path] : paths) path = without_further_rounds(path);
    runs.database.add(paths);
    read.insert(name);
  }
  if (read.size() != before) {
    std::string names;
    for (const std::string& name : read) names += name + "\n";
    if (auto written = runs.database.write(file); !written) return written.error();
    if (auto written = write_file_atomically(stem + std::string(kRead), names); !written)
      return written.error();
  }
  return runs;
}

Result<FollowedRuns> follow_runs(Executions& executions, const PathDatabase& database,
                                 const FollowLimits& limits) {
  const double began = run::worked_seconds();
  const auto left = [&] { return limits.seconds - (run::worked_seconds() - began); };
  executions.keep_decisions();
  FollowedRuns followed;
  const std::size_t most = std::min(database.distinct_runs(), limits.runs);
  // What is usual comes first: others' paths are nearer to it.
  std::vector<std::size_t> order(database.distinct_runs());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return database.times_seen(a) > database.times_seen(b);
  });
  for (; followed.looked_at < most && left() > 0 && !run::time_is_up(); ++followed.looked_at) {
    ReconstructOptions each = limits.each;
    each.seconds = std::min(each.seconds, left());
    auto run = reconstruct(executions, database.run(order[followed.looked_at]), {}, each);
    if (!run) return run.error();
    followed.same += run->succeeded ? 1 : 0;
    if (!run->succeeded) {
      FollowedRuns::ShortOf& shorter = followed.short_of.emplace_back();
      shorter.run = order[followed.looked_at] + 1;
      for (const auto& [name, matched] : run->matched) {
        shorter.branches += matched.steps;
        shorter.of += matched.of;
      }
    }
    if (run->met && !followed.failed) followed.failed = std::move(run->met);
    if (run->executed.passes) followed.executed.push_back(std::move(run->executed));
  }
  return followed;
}

}  // namespace heddle::search
