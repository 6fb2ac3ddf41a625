// What the comparisons of strings look at.
#pragma once

#include "core/base/text_scan.h"
#include "runtime/abi/interposed_call.h"

namespace heddle::abi {

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Like compared_within(), for a comparison that takes capital and small letters for the same.
inline std::size_t compared_without_case(const char* a, const char* b, std::size_t most) {
  std::size_t seen = 0;
  while (seen < most) {
    seen += compared_within(a + seen, b + seen, most - seen);
    const char x = a[seen - 1], y = b[seen - 1];
    if (x == '\0' || lower(x) != lower(y)) break;
  }
  return seen;
}

// Notes that both texts are read, up to where a comparison ends.
inline void reads_compared(const ProgramCall& call, const char* a, const char* b, std::size_t most) {
  if (!call) return;
  const std::size_t bytes = compared_within(a, b, most);
  call.reads(a, bytes);
  call.reads(b, bytes);
}
inline void reads_compared_without_case(const ProgramCall& call, const char* a, const char* b,
                                        std::size_t most) {
  if (!call) return;
  const std::size_t bytes = compared_without_case(a, b, most);
  call.reads(a, bytes);
  call.reads(b, bytes);
}

}  // namespace heddle::abi
