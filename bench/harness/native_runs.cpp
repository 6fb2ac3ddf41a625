#include "bench/harness/native_runs.h"

#include <sched.h>

#include <filesystem>

#include "tool/bench/child_process.h"

namespace heddle::bench {
namespace {

// While it lives, what is started here shares one processor: threads are cut off anywhere, and others do much
// before they go on, as on a machine that has more to do.
class OneProcessor {
 public:
  OneProcessor() {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &before_)) continue;
      CPU_SET(cpu, &one);
      break;
    }
    is_set_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OneProcessor() {
    if (is_set_) sched_setaffinity(0, sizeof before_, &before_);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_;
  bool is_set_ = false;
};

// Runs the program natively with a recorder and returns its exit status. (A deadlock does not end by itself.)
Result<int> record_run(const run::Target& target, const std::string& folder) {
  std::vector<std::string> words{"timeout", "-s", "KILL", "20", "env", "HEDDLE_RECORD=path:" + folder};
  words.insert(words.end(), target.argv.begin(), target.argv.end());
  return run_in("/", words);
}

}  // namespace

Result<search::ProductionRuns> record_passing_runs(const run::Target& target, const std::string& folder,
                                                   std::uint64_t runs) {
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; passed < runs && i < 4 * runs; ++i) {
    const auto status = record_run(target, folder);
    if (!status) return status.error();
    passed += *status == 0 ? 1 : 0;
  }
  return search::read_runs(folder, target.path, std::nullopt);
}

Result<std::optional<PathLog>> record_failing_run(const run::Target& target, const std::string& folder,
                                                  std::uint64_t runs) {
  auto tables = PathTables::read(target.path);
  if (!tables) return tables.error();
  for (std::uint64_t i = 0; i < runs; ++i) {
    std::optional<OneProcessor> one;
    if (i % 2 == 0) one.emplace();
    const auto status = record_run(target, folder);
    one.reset();
    if (!status) return status.error();
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (*status != 0) {
        auto log = read_path_log(entry.path().string(), *tables);
        if (log && search::has_failed(*log)) return std::optional(std::move(*log));
      }
      std::filesystem::remove(entry.path());
    }
  }
  return std::optional<PathLog>();
}

}  // namespace heddle::bench
