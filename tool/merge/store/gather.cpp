#include "tool/merge/store/gather.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "tool/run/time_limit.h"

namespace heddle::merge {
namespace {

namespace fs = std::filesystem;
// A run holds a lock on its log. (Nobody does on a copy: a log should be copied when its run is over.)
bool is_still_written(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_held = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return is_held;
}

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
  unread_ = 0;
  for (const std::string& path : files()) {
    // Thousands of logs take minutes. What is left is read by the next call.
    if (run::time_is_up()) {
      ++unread_;
      continue;
    }
    std::error_code failed;
    const std::uint64_t size = fs::file_size(path, failed);
    if (failed) {
      skip(path, failed.message() + ".");
      continue;
    }
    const auto changed = fs::last_write_time(path, failed);
    const std::pair<std::uint64_t, std::int64_t> state{size, changed.time_since_epoch().count()};
    if (const auto at = seen_.find(path); at != seen_.end() && at->second == state) continue;
    if (is_still_written(path)) {
      if (running_.insert(path).second) skip(path, "its run is not over yet.");
      continue;
    }
    LogStore::Vectors vectors;
    const auto is_wanted = [&](const AccessLog& log) {
      return log.outcome != RunOutcome::kUnknown || killed_failed;
    };
    auto log = read_access_log(path, [&](const AccessLog& so_far, AccessVector&& vector) -> Status {
      return is_wanted(so_far) ? store_.add_vector(so_far, vector, vectors) : Done{};
    });
    seen_[path] = state;
    if (!log) {
      skip(path, log.error().message);
      continue;
    }
    if (!is_wanted(*log)) {
      skip(path, "its run was killed.");
      continue;
    }
    const auto is_new = store_.add(*log, vectors);
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
