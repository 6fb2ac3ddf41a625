// Which shared program elements a test of the house uses from several threads: what `heddle record --profile`
// adds to the profile beside the program, by which recorders in the field cut what they choose from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/run/target.h"

namespace heddle::cli {

struct ProfiledElements {
  std::uint32_t in_all = 0;
  std::uint32_t shared = 0;    // by this run
  std::uint32_t left_out = 0;  // shared ones that are left out, because a lock protects them
};

// Runs the program under the engine, each of `executions` twice: once to learn which words of memory several
// threads touch and one of them writes, and once for the elements whose accesses go there. `lean`: without
// those that were accessed under one lock only, whose order is that of the lock (after Liu and others,
// "Light: Replay via Tightly Bounded Recording", PLDI 2015).
Result<ProfiledElements> profile_elements(const run::Target& target, const RunSpec& spec,
                                          std::uint32_t executions, bool lean, const std::string& profile);

}  // namespace heddle::cli
