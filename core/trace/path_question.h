// The paths of a logged run, in memory that the tool and an execution share: the execution compares itself with them as
// it goes, branch by branch, and says how far each of its threads came (tool/search/guided_hunt.h). So thousands of
// executions a second can be compared, and not only those that are traced.
//
// A path is a list of steps, one word each. Rounds of a loop that are many and equal are one round here, with a Loop that
// says so: natively a thread may wait for a hundred thousand rounds, under the engine for two.
//
// All zero is a question about nothing. The memory is sparse: only what is used costs anything.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/random.h"

namespace heddle {

// A step of a path as one word: which way a branch went, which block a switch led to, who was called. `kind`: as in
// core/record/path_ids.h; 0 is a branch with two ways, whose outcome is the lowest bit. Of others the outcome is part of
// the name.
constexpr std::uint64_t path_step_bits(std::uint64_t place, std::uint8_t kind, std::uint64_t outcome) {
  const std::uint64_t name = mix(place, kind);
  return kind == 0 ? (name & ~std::uint64_t{1}) | (outcome != 0 ? 1 : 0)
                   : mix(name, outcome) & ~std::uint64_t{1};
}

struct PathQuestion {
  static constexpr std::uint32_t kMostThreads = 512;
  static constexpr std::uint32_t kMostLoops = 1u << 14;
  static constexpr std::uint32_t kMostSteps = 1u << 21;
  static constexpr std::uint32_t kNobody = ~0u;
  static constexpr std::uint32_t kLongestRound = 32;  // steps of a Loop

  // A thread is named by its parent, an earlier one of the list, and by its number among that one's children, from 0.
  // The first is the main thread.
  struct Path {
    std::uint32_t parent;
    std::uint32_t child;
    std::uint32_t first_step, steps;
    std::uint32_t first_loop, loops;
  };
  // Steps of a path, from `begin` up to `end`, kLongestRound at most, that may be made any number of times. Loops of a path are in order, and do
  // not overlap.
  struct Loop {
    std::uint32_t begin, end;
  };

  // Written by the tool before the program starts.
  std::uint32_t paths;  // 0: nothing is compared
  Path path[kMostThreads];
  Loop loop[kMostLoops];
  std::uint64_t step[kMostSteps];

  // Written by the execution under way.
  std::uint32_t reached[kMostThreads];  // steps of each path that were made
  std::uint32_t together;               // their sum, when the first thread left its path, or now
  std::uint32_t left_by;                // which path that was; kNobody: all are on theirs
  std::uint32_t left_at;                // choices that had been made by then

  void begin_execution() {
    for (std::uint32_t i = 0; i < paths; ++i) reached[i] = 0;
    together = left_at = 0;
    left_by = kNobody;
  }
};

}  // namespace heddle
