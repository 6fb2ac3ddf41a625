// Runs of a benchmark as production would see them: natively, with real threads, each with a path log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tool/record/path_log.h"
#include "tool/search/production.h"

namespace heddle::bench {

// Runs it until so many runs have passed, at most four times as many. Logs go to `folder`, which has to be
// new.
Result<search::ProductionRuns> record_passing_runs(const run::Target& target, const std::string& folder,
                                                   std::uint64_t runs);

// The log of the first run that fails, of so many.
Result<std::optional<PathLog>> record_failing_run(const run::Target& target, const std::string& folder,
                                                  std::uint64_t runs);

}  // namespace heddle::bench
