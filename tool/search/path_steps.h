// The steps of path logs and of executions under the engine, in one alphabet.
#pragma once

#include "core/trace/path_question.h"
#include "tool/search/path.h"

namespace heddle::search {

// `kind`: 0 is a branch with two ways (record::StepKind); others cannot be flipped.
inline Step path_step(std::uint64_t place, std::uint8_t kind, std::uint64_t outcome) {
  return {path_step_bits(place, kind, outcome)};
}

}  // namespace heddle::search
