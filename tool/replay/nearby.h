// Executions near one that was carried over from another build of a program: its departures with one left out, one
// elsewhere, or one or two more. After an edit a bug may need a departure at a place that the older build did not have.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tool/replay/carry_over.h"

namespace heddle::replay {

struct NearbyOptions {
  std::uint64_t executions = 2000;  // at most; also bound by the time of the command
  std::uint64_t seed = 1;
  std::function<void(std::uint64_t executions)> on_progress;
};

struct Nearby {
  std::optional<Trace> trace;    // the bug is its first finding; none: it was not found
  std::uint64_t executions = 0;  // tried
};

// `original`: what was carried over.
Result<Nearby> look_nearby(Carried& carried, const Trace& original, const NearbyOptions& options);

}  // namespace heddle::replay
