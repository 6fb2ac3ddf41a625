// The branches of an execution, by how near they are to what is to fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tool/search/composition.h"

namespace heddle::search {

struct Branch {
  std::string thread;
  std::uint32_t step = 0;  // in the thread's path
  std::uint32_t record = 0;
  std::uint64_t distance = 0;  // in events
};

// Where assertions were tested, as numbers of events; the end of the execution where there are none.
std::vector<std::uint32_t> assertion_events(const Composition& of);

// The nearest first.
std::vector<Branch> branches_near(const Composition& of, const std::vector<std::uint32_t>& assertions);

}  // namespace heddle::search
