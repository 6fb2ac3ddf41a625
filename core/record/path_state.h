// What code that records paths and the runtime share of each thread: it lies in the log's own memory, so that
// the latest bits are there after the process was killed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/record/log_format.h"

namespace heddle::record {

struct PathState {
  // Bits that were not written yet, the latest in bit 0: under ones and then a zero that ends them (so that
  // one comparison with a constant tells whether there are many). In memory, at calls, there are at most 30;
  // a function may keep up to 62 in a register between.
  std::uint64_t pending = kNonePending;
  // Who is being called, for who is entered: kCalledIndirectly | PlaceId of the call, the FunctionKey of a
  // function that may be of another module, or 0.
  std::uint64_t called = 0;
  // Of the runtime (runtime/record/path_flush.S knows these).
  unsigned char* next = nullptr;  // where the next bits go
  unsigned char* end = nullptr;   // of where eight bytes can be written
  std::uint64_t written = 0;      // bytes before the current chunk
  std::uint64_t latest_callee = 0;

  static constexpr std::uint64_t kNonePending = ~std::uint64_t{1};
};
inline constexpr std::uint64_t kCalledIndirectly = std::uint64_t{1} << 63;
inline constexpr unsigned kMostPendingInMemory = 30;
inline constexpr unsigned kMostPending = 62;
// Pending bits below this one (as a number without sign) are more than memory may hold.
inline constexpr std::uint64_t kManyPending = ~std::uint64_t{0} << (kMostPendingInMemory + 1);

constexpr unsigned pending_count(std::uint64_t pending) {
  unsigned zero = 63;
  while (zero > 0 && (pending >> zero & 1) != 0) --zero;
  return zero;
}

// Which of the latest callees is foretold for an indirect call: by the call, and the callee before.
inline constexpr std::uint32_t kPredictions = 256;
constexpr std::uint32_t prediction_of(std::uint64_t call, std::uint64_t callee_before) {
  return static_cast<std::uint32_t>(((call ^ callee_before * 31) * 0x9e3779b97f4a7c15ull) >> 56);
}

static_assert(offsetof(PathState, pending) == 0 && offsetof(PathState, called) == 8 &&
              offsetof(PathState, next) == 16 && offsetof(PathState, end) == 24);

// The beginning of a chunk of kind kThread in a path log.
struct PathThreadHead {
  ChunkHeader chunk;
  ThreadEntry entry;
  PathState state;
};

}  // namespace heddle::record
