// A vector clock seen by someone who does not own it: the times up to which each thread is known.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

// REQUIRES: `times` has `width` entries and stays valid while the view is used. Threads beyond it are at time
// 0.
struct ClockView {
  const std::uint32_t* times;
  std::uint32_t width;

  std::uint32_t at(ThreadId thread) const {
    const std::uint32_t index = index_of(thread);
    return index < width ? times[index] : 0;
  }
};

}  // namespace heddle
