#include "bench/harness/coop_recording.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tool/base/atomic_file.h"
#include "tool/bench/child_process.h"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using RecordingClock = std::chrono::steady_clock;

// A run takes milliseconds, most of which it sleeps. One that is late is about to be found hanging, and
// leaves its place to others.
constexpr std::size_t kAtATime = 8;
constexpr std::chrono::milliseconds kLate{200};
constexpr std::size_t kMostLate = 64;
constexpr std::chrono::seconds kHangs{1};

class NativeRecording {
 public:
  NativeRecording(const std::string& folder, const std::string& binary, const RecordingOptions& options)
      : folder_(folder), binary_(binary), options_(options) {}

  Result<RecordedRuns> run() {
    const auto end = RecordingClock::now() + std::chrono::duration<double>(options_.seconds);
    while (recorded_.failing.size() < options_.failing && RecordingClock::now() < end) {
      while (has_place()) {
        if (auto started = start(); !started) return started.error();
      }
      wait_for_one();
    }
    is_ending_ = true;
    while (!running_.empty()) wait_for_one();
    return std::move(recorded_);
  }

 private:
  struct Child {
    pid_t pid = -1;
    std::string logs;
    RecordingClock::time_point began;
    bool was_killed = false;
  };

  Status start() {
    const std::string logs = fmt::format("{}/logs-{}-{}", folder_, options_.kind, started_++);
    fs::create_directories(logs);
    const auto pid =
        start_in(folder_, {binary_}, {fmt::format("HEDDLE_RECORD={}:{},share=100", options_.kind, logs)});
    if (!pid) return pid.error();
    running_.push_back({*pid, logs, RecordingClock::now()});
    return Done{};
  }

  bool has_place() const {
    const auto late = RecordingClock::now() - kLate;
    const auto in_time = std::ranges::count_if(running_, [&](const Child& c) { return c.began > late; });
    return static_cast<std::size_t>(in_time) < kAtATime && running_.size() < kAtATime + kMostLate;
  }

  // Waits for the end of a run, or for a place.
  void wait_for_one() {
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid < 0) return running_.clear();
      if (pid > 0) {
        const auto child = std::ranges::find(running_, pid, &Child::pid);
        if (child == running_.end()) continue;
        take(*child, WIFEXITED(status) && WEXITSTATUS(status) == 0);
        running_.erase(child);
        return;
      }
      for (Child& child : running_) {
        if (child.was_killed || RecordingClock::now() < child.began + kHangs) continue;
        child.was_killed = true;
        kill(child.pid, SIGKILL);
      }
      if (has_place() && !is_ending_) return;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }

  void take(const Child& child, bool passed) {
    const bool counts = !child.was_killed || options_.hangs;
    if (counts) {
      ++recorded_.runs;
      recorded_.failed += passed ? 0 : 1;
    }
    auto& logs = passed ? recorded_.passing : recorded_.failing;
    if (counts && logs.size() < (passed ? options_.passing : options_.failing)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(child.logs)) {
        auto log = read_access_log(entry.path().string());
        if (!log) continue;
        if (log->outcome == RunOutcome::kUnknown) log->outcome = RunOutcome::kFailed;  // it hung
        logs.push_back(std::move(*log));
      }
    }
    std::error_code ignored;
    fs::remove_all(child.logs, ignored);
  }

  const std::string& folder_;
  const std::string& binary_;
  const RecordingOptions& options_;
  RecordedRuns recorded_;
  std::vector<Child> running_;
  std::uint64_t started_ = 0;
  bool is_ending_ = false;
};

Status keep(const RecordedRuns& recorded, const std::string& folder) {
  fs::create_directories(folder);
  for (const auto& [name, logs] : {std::pair{"failing", &recorded.failing}, {"passing", &recorded.passing}}) {
    for (std::size_t i = 0; i < logs->size(); ++i) {
      if (auto written = write_access_log(fmt::format("{}/{}-{:04}", folder, name, i), (*logs)[i]); !written)
        return written;
    }
  }
  return write_file_atomically(folder + "/runs", fmt::format("{} {}", recorded.runs, recorded.failed));
}

Result<RecordedRuns> read_kept(const std::string& folder) {
  RecordedRuns recorded;
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const std::string name = fs::path(path).filename();
    if (name == "runs") {
      const auto text = read_whole_file(path, 100);
      if (!text) return text.error();
      const std::size_t space = text->find(' ');
      recorded.runs = std::stoull(*text);
      recorded.failed = space == std::string::npos ? 0 : std::stoull(text->substr(space));
      continue;
    }
    auto log = read_access_log(path);
    if (!log) return log.error();
    (name.starts_with("failing") ? recorded.failing : recorded.passing).push_back(std::move(*log));
  }
  return recorded;
}

}  // namespace

Result<RecordedRuns> record_runs(const std::string& folder, const std::string& binary,
                                 const RecordingOptions& options) {
  if (!options.kept.empty() && fs::exists(options.kept + "/runs")) return read_kept(options.kept);
  auto recorded = NativeRecording(folder, binary, options).run();
  if (!recorded || options.kept.empty()) return recorded;
  if (auto written = keep(*recorded, options.kept); !written) return written.error();
  return recorded;
}

}  // namespace heddle::bench
