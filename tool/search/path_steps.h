// The steps of path logs and of executions under the engine, in one alphabet.
#pragma once

#include "core/base/random.h"
#include "tool/search/path.h"

namespace heddle::search {

// `kind`: 0 is a branch with two ways (record::StepKind); of others, the outcome is part of the name, and
// they cannot be flipped.
inline Step path_step(std::uint64_t place, std::uint8_t kind, std::uint64_t outcome) {
  const std::uint64_t name = mix(place, kind);
  return kind == 0 ? Step::make(name >> 1, outcome != 0) : Step::make(mix(name, outcome) >> 1, false);
}

}  // namespace heddle::search
