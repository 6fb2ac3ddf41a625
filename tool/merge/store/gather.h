// Log files into a store: each is read once, what is wrong with one is said by its name, and the rest goes
// on.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tool/merge/store/log_store.h"

namespace heddle::merge {

class Gatherer {
 public:
  // `paths`: files, and directories whose files are logs. REQUIRES: `store` outlives this.
  Gatherer(LogStore& store, std::vector<std::string> paths) : store_(store), paths_(std::move(paths)) {}

  std::function<void(const std::string&)> on_skipped;  // a whole sentence
  // Logs of runs that were killed from outside, as those that hang are, count as failed.
  bool killed_failed = true;

  // Adds what is new since the last call; answers how many logs that was.
  Result<std::uint64_t> gather();
  // Logs that the last call did not come to within the time of the command.
  std::uint64_t unread() const { return unread_; }

 private:
  std::vector<std::string> files() const;
  void skip(const std::string& path, const std::string& why);

  LogStore& store_;
  std::vector<std::string> paths_;
  std::map<std::string, std::pair<std::uint64_t, std::int64_t>> seen_;  // size and time of change
  std::uint64_t unread_ = 0;
  std::set<std::string> running_;  // that were told of
};

}  // namespace heddle::merge
