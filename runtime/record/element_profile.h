// Which elements in-house runs have seen shared: a file beside the program, made by `heddle record
// --profile`.
#pragma once

#include <cstdint>

namespace heddle::record {

struct ElementProfile {
  const std::uint64_t* ids = nullptr;  // sorted; nullptr: there is no profile
  std::uint64_t count = 0;
  std::uint64_t mapped = 0;  // bytes at `ids`, which stay for as long as the process lives
};

inline constexpr char kProfileEnding[] = ".spes";

// A line for each element: its id, 16 hexadecimal digits, sorted, and whatever follows for people. Other
// lines are comments. A file that is not sorted is none.
ElementProfile read_profile(const char* path);

}  // namespace heddle::record
