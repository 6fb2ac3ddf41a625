// Runs of the program in production, as their path logs tell (tool/record/path_log.h): the database of their
// paths, and executions under the engine that take the same paths.
#pragma once

#include <cstdint>
#include <optional>
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
// Of a run that was killed: as if it hung.
LoggedEnd logged_end(const PathLog& log);

struct ProductionRuns {
  PathDatabase database;
  std::uint64_t unread = 0;  // logs that the command's time was not enough for
  std::size_t logs = 0;      // that were read
  std::size_t failed = 0;    // logs of runs that did not pass: `heddle reconstruct` is for them
  std::size_t unusable = 0;  // damaged, of another build, or cut off
  std::string first_problem;
  std::vector<std::string> others;  // logs of runs that were given something else
};

// What the target is given here, as logs have it (core/record/run_identity.h).
std::uint64_t run_identity(const run::Target& target);
// What of that is another for this program than in a logged run, a part each: "argument 2", "TZ is set here, and was not
// there". Empty where the log does not say.
std::vector<std::string> other_parts(const record::RunParts& logged, const run::Target& target);

// All logs in a folder, of runs that were given the same; `run`: nullopt: whatever they were given. What was
// read is kept there in one file, so that a log is read once, and may be deleted afterwards.
Result<ProductionRuns> read_runs(const std::string& folder, const std::string& program,
                                 std::optional<std::uint64_t> run);

// Executions that take the paths of `database`'s runs, and such as come near where none takes them.
struct FollowedRuns {
  std::vector<Executed> executed;  // that passed
  std::optional<Executed> failed;  // the first one that did not
  std::size_t looked_at = 0;       // runs of the database
  std::size_t same = 0;            // runs of which an execution takes the same paths
  // The others: how far the nearest execution came along the branches of all threads together.
  struct ShortOf {
    std::size_t run = 0;  // its number in the database, from 1
    std::size_t branches = 0;
    std::size_t of = 0;
  };
  std::vector<ShortOf> short_of;
};
struct FollowLimits {
  std::size_t runs = 20;    // of the database
  double seconds = 60;      // for all of them
  ReconstructOptions each;  // at most
};
Result<FollowedRuns> follow_runs(Executions& executions, const PathDatabase& database,
                                 const FollowLimits& limits);

}  // namespace heddle::search
