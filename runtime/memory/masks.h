// Masks of slots (location.h) that may be several words wide.
#pragma once

#include <cstdint>

namespace heddle::memory {

inline bool any(const std::uint64_t* mask, std::uint32_t words) {
  for (std::uint32_t w = 0; w < words; ++w) {
    if (mask[w] != 0) return true;
  }
  return false;
}

// Calls f(slot) for each set bit.
template <typename F>
void for_each_slot(const std::uint64_t* mask, std::uint32_t words, F f) {
  for (std::uint32_t w = 0; w < words; ++w) {
    for (std::uint64_t m = mask[w]; m != 0; m &= m - 1)
      f(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(m)));
  }
}

}  // namespace heddle::memory
