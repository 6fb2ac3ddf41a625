// Who a thread of a recorded run is: the n-th child of its parent, whatever the schedule.
#pragma once

#include <cstdint>

#include "core/record/log_format.h"

namespace heddle::record {

// Of the calling thread; where its recorder finds what it keeps of it. In thread-local memory.
struct ThreadIdentity {
  std::uint32_t number = 0;
  std::uint32_t parent = 0;
  std::uint32_t ordinal = 0;
  std::uint32_t children = 0;
};

}  // namespace heddle::record
