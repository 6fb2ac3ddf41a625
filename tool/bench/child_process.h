// Programs that benchmarks build and run, one at a time.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

// Runs a command in `folder` with its output thrown away, and waits for it. Answers its exit status; 128 and
// more for the signal that ended it. An error: it could not be started.
Result<int> run_in(const std::string& folder, const std::vector<std::string>& command);

// Starts a command in `folder` with its output thrown away; `environment`: "NAME=VALUE", beside this process'
// own.
Result<pid_t> start_in(const std::string& folder, const std::vector<std::string>& command,
                       const std::vector<std::string>& environment);

// How a command ended, and what it and its descendants used. REQUIRES: this process has no other children.
struct Finished {
  int status = 0;
  double seconds = 0;      // on the clock
  double cpu_seconds = 0;  // of all
  long kilobytes = 0;      // of the largest
};
Result<Finished> run_measured(const std::string& folder, const std::vector<std::string>& command);

// A folder of its own that goes away with the object, with all that is in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace heddle::bench
