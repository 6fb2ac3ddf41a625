// Runs of the program in production, as their path logs tell (tool/record/path_log.h): the database of their
// paths, and executions under the engine that take the same paths.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tool/record/path_log.h"
#include "tool/search/path_trie.h"
#include "tool/search/reconstruct.h"

namespace heddle::search {

// The decisions of each thread.
LoggedPaths logged_paths(const PathLog& log);
// Did the run end with a failure?
bool has_failed(const PathLog& log);
bool has_passed(const PathLog& log);

struct ProductionRuns {
  PathDatabase database;
  std::size_t logs = 0;      // that were read
  std::size_t failed = 0;    // … of runs that did not pass: `heddle reconstruct` is for them
  std::size_t unusable = 0;  // damaged, of another build, or cut off
  std::string first_problem;
};

// All logs in a folder. What was read is kept there in one file, so that a log is read once, and may be
// deleted afterwards.
Result<ProductionRuns> read_runs(const std::string& folder, const std::string& program);

}  // namespace heddle::search
