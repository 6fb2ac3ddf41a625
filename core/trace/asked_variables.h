// Names of the environment variables that the program has asked for. An execution may depend on these, and on
// no others unless the program walks through `environ` itself; so these are kept with a bug, and the rest of
// the environment, which may hold secrets, is not. Lies in the channel; all zero is empty.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

struct AskedVariables {
  static constexpr std::uint32_t kBytes = 8192;

  std::uint32_t used = 0;    // of `names`
  std::uint32_t is_cut = 0;  // there was no room for another one
  char names[kBytes] = {};   // each ended by a zero

  // REQUIRES: `name` has `length` bytes, none of them zero.
  void add(const char* name, std::size_t length) {
    if (length == 0) return;
    for (std::uint32_t at = 0; at < used;) {
      std::uint32_t end = at;
      bool same = true;
      for (; names[end] != '\0'; ++end) same = same && end - at < length && names[end] == name[end - at];
      if (same && end - at == length) return;
      at = end + 1;
    }
    if (length + 1 > kBytes - used) {
      is_cut = 1;
      return;
    }
    for (std::size_t i = 0; i < length; ++i) names[used + i] = name[i];
    names[used + length] = '\0';
    used += static_cast<std::uint32_t>(length) + 1;
  }
};

}  // namespace heddle
