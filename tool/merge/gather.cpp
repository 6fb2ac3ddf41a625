#include "tool/merge/gather.h"

#include <algorithm>
#include <filesystem>

namespace heddle::merge {
namespace {

namespace fs = std::filesystem;
// A log without an outcome that was changed so recently belongs to a run that may go on.
constexpr auto kStillRunning = std::chrono::seconds(3);

}  // namespace

void Gatherer::skip(const std::string& path, const std::string& why) {
  if (on_skipped) on_skipped(path + " is skipped: " + why);
}

std::vector<std::string> Gatherer::files() const {
  std::vector<std::string> files;
  for (const std::string& path : paths_) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(path, failed)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file(failed) && !name.starts_with('.')) files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

Result<std::uint64_t> Gatherer::gather() {
  std::uint64_t added = 0;
  if (auto begun = store_.begin(); !begun) return begun.error();
  for (const std::string& path : files()) {
    std::error_code failed;
    const std::uint64_t size = fs::file_size(path, failed);
    if (failed) {
      skip(path, failed.message() + ".");
      continue;
    }
    const auto changed = fs::last_write_time(path, failed);
    const std::pair<std::uint64_t, std::int64_t> state{size, changed.time_since_epoch().count()};
    if (const auto at = seen_.find(path); at != seen_.end() && at->second == state) continue;
    auto log = read_access_log(path);
    const bool is_fresh = fs::file_time_type::clock::now() - changed < kStillRunning;
    if (log && log->outcome == RunOutcome::kUnknown && is_fresh && !seen_.empty()) continue;
    seen_[path] = state;
    if (!log) {
      skip(path, log.error().message);
      continue;
    }
    if (log->outcome == RunOutcome::kUnknown && !killed_failed) {
      skip(path, "its run was killed.");
      continue;
    }
    const auto is_new = store_.add(*log);
    if (!is_new) {
      skip(path, is_new.error().message);
      continue;
    }
    added += *is_new ? 1 : 0;
  }
  if (auto ended = store_.end(); !ended) return ended.error();
  return added;
}

}  // namespace heddle::merge
