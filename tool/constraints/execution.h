// One execution of a symbolic trace.
#pragma once

#include <cstdint>
#include <vector>

#include "tool/constraints/structure.h"

namespace heddle::constraints {

enum class Model : std::uint8_t { kSequential, kCxx20 };

struct Execution {
  std::vector<ActionId> order;    // all included actions
  std::vector<ActionId> sources;  // by part, what is read; kNoAction: the initial value
  std::vector<std::uint32_t>
      modification;  // by action, under C++20: writes of one cell by their place; from 1
};

}  // namespace heddle::constraints
