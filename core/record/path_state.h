// What code that records paths and the runtime share of each thread: it lies in the log's own memory, so that
// the latest bits are there after the process was killed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::record {

struct PathState {
  // Bits that were not written yet, the latest in bit 0, under a one that ends them: 1 is empty. In memory
  // (at calls) there are at most 31; a function may keep up to 62 in a register between.
  std::uint64_t pending = 1;
  // Who is being called, for who is entered: kCalledIndirectly | PlaceId of the call, the FunctionKey of a
  // function that may be of another module, or 0.
  std::uint64_t called = 0;
  // Of the runtime (runtime/record/path_flush.S knows these).
  std::uint32_t* next = nullptr;  // where the next 32 bits go
  std::uint32_t* end = nullptr;
  std::uint64_t words = 0;  // written before the current chunk
};
inline constexpr std::uint64_t kCalledIndirectly = std::uint64_t{1} << 63;
// Which of the latest callees is foretold for an indirect call.
inline constexpr std::uint32_t kPredictions = 256;
constexpr std::uint32_t prediction_of(std::uint64_t call) {
  return static_cast<std::uint32_t>((call * 0x9e3779b97f4a7c15ull) >> 56);
}
inline constexpr unsigned kMostPendingInMemory = 31;
inline constexpr unsigned kMostPending = 62;

static_assert(offsetof(PathState, pending) == 0 && offsetof(PathState, called) == 8 &&
              offsetof(PathState, next) == 16 && offsetof(PathState, end) == 24);

}  // namespace heddle::record
