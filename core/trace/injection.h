// Values that one thread is made to read, whatever memory holds: how a path is looked at that no execution
// has taken yet. What comes of it is no execution of the program, and is never reported.
#pragma once

#include <cstdint>

namespace heddle {

struct InjectedValue {
  std::uint32_t ordinal = 0;  // n-th event of the thread that reads memory, from 0
  std::uint32_t unused = 0;
  std::uint64_t value = 0;  // little-endian, as many bytes as are read
};

inline constexpr std::uint32_t kMostInjected = 128;

}  // namespace heddle
