// Which addresses are code of the runtime itself.
#pragma once

#include <cstdint>

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the linker's names
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _etext[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
// NOLINTEND(readability-identifier-naming)
}

namespace heddle::engine {

inline bool is_own_code(std::uint64_t pc) {
  return pc >= reinterpret_cast<std::uint64_t>(__ehdr_start) && pc < reinterpret_cast<std::uint64_t>(_end);
}

}  // namespace heddle::engine
