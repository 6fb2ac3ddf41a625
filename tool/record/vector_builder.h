// Puts the access vector of one element together from what each thread kept of it
// (core/record/element_log.h).
#pragma once

#include <cstdint>
#include <vector>

#include "tool/record/access_log.h"

namespace heddle {

// A run of one thread: `reads` reads of version `start`, then `writes` writes, `repeats` times.
struct ElementToken {
  std::uint32_t thread = 0;
  std::uint64_t start = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t repeats = 1;
  // Of blocks: when its first and its last access were.
  std::uint64_t first_time = 0;
  std::uint64_t last_time = 0;
};

struct BuiltVector {
  std::vector<ThreadRun> runs;
  bool incomplete = false;  // some versions are nobody's: the vector ends before the first of them
};

// In any order. Runs have times for ranks.
BuiltVector build_vector(std::vector<ElementToken> tokens);

// Times of all runs become ranks.
void rank_runs(std::vector<AccessVector>& vectors);

}  // namespace heddle
