// Native runs of a program with all shared elements recorded, many at a time: a run that hangs costs its time
// alone.
#pragma once

#include <string>
#include <vector>

#include "tool/record/access_log.h"

namespace heddle::bench {

struct RecordedRuns {
  std::vector<AccessLog> failing, passing;
  std::uint64_t runs = 0, failed = 0;
};

struct RecordingOptions {
  std::string kind = "vars";  // or blocks
  std::uint64_t failing = 0, passing = 0;
  double seconds = 0;
  bool hangs = false;  // a run that does not end is a failure; else it counts for nothing
  // Kept there, and taken from there when they are there already; empty: neither.
  std::string kept;
};

// Runs `binary` in `folder` until there are enough logs, or the time is up. REQUIRES: this process has no
// other children.
Result<RecordedRuns> record_runs(const std::string& folder, const std::string& binary,
                                 const RecordingOptions& options);

}  // namespace heddle::bench
