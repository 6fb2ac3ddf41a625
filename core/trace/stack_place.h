// An address of an event that lies on a thread's stack, and the frame that it lies in: what is needed to name
// the local variable there.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

struct StackPlace {
  Address address = 0;
  std::uint64_t pc = 0;         // where the frame's function was at that time: a return address
  Address canonical = 0;        // of the frame: just above its return address
  std::uint32_t below = 0;      // how far below that the function's stack pointer is
  ThreadId thread = kNoThread;  // whose stack it is
  std::uint16_t padding = 0;

  friend bool operator==(const StackPlace&, const StackPlace&) = default;
};
static_assert(sizeof(StackPlace) == 32);

inline constexpr std::uint32_t kMaxStackPlaces = 1024;  // in one execution; what comes later has no name

}  // namespace heddle
