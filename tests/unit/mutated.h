// Files from anywhere: what a reader has to bear.
#pragma once

#include <string>

#include "core/base/random.h"

namespace heddle {

// A few bytes changed, taken out, put in, or all after one of them lost.
inline std::string mutated(std::string bytes, Random& random) {
  const std::uint32_t changes = 1 + random.below(8);
  for (std::uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::uint32_t at = random.below(static_cast<std::uint32_t>(bytes.size()));
    switch (random.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random.next());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes.erase(at, 1 + random.below(16));
        break;
      case 3:
        bytes.insert(at, 1 + random.below(16), static_cast<char>(random.next()));
        break;
      case 4:
        bytes[at] = '\xff';
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

}  // namespace heddle
