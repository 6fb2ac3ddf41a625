// What code that records paths and the runtime share of each thread: it lies in the log's own memory, so that
// the latest bits are there after the process was killed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/record/log_format.h"

namespace heddle::record {

// The body that an indirect call came to when it was last at this place with this callee before.
struct CallEntry {
  std::uint64_t function = 0;  // what the pointer was
  std::uint64_t body = 0;      // its body for recording, which takes and returns the pending bits
  std::uint64_t key = 0;       // FunctionKey
  std::uint64_t after = 0;     // call_offset of the key
};

struct PathState {
  // Bits that were not written yet, the latest in bit 0: under ones and then a zero that ends them (so that
  // one comparison with a constant tells whether there are many). At calls there are at most 50; a function
  // may come to 62 between. They are here while other code runs; bodies hand them to each other in a
  // register.
  std::uint64_t pending = kNonePending;
  // What the function that is entered next learns of its caller: kCalledIndirectly | PlaceId of the call, the
  // FunctionKey of a function that may be of another module, or 0.
  std::uint64_t called = 0;
  // Where pending bits go as they are, as a word, when there are many; compiled code does that itself
  // (compiler/plugin/path_body.cpp, runtime/record/path_flush.S), in this order: the word, kNonePending,
  // next. What comes after the words is zero: a process that was killed meanwhile has the longer of both
  // there.
  std::uint64_t* next = nullptr;
  std::uint64_t* end = nullptr;  // where the chunk is full
  std::uint64_t written = 0;     // bits before the current chunk
  // Of indirect calls, which compiled code looks up itself: the entries, which are not in the log, and
  // call_offset of the latest callee.
  CallEntry* calls = nullptr;
  std::uint64_t after = 0;

  static constexpr std::uint64_t kNonePending = ~std::uint64_t{1};
};
inline constexpr std::uint64_t kCalledIndirectly = std::uint64_t{1} << 63;
// Bits are written where there are more: seldom, since processors do not foresee it. What is left of a word
// holds the longest code (of a switch) and the branches next to it.
inline constexpr unsigned kMostPendingInMemory = 50;  // within a function more, if it adds less at once
inline constexpr unsigned kMostPending = 62;
// Pending bits below this one (as a number without sign) are more than memory may hold.
inline constexpr std::uint64_t kManyPending = ~std::uint64_t{0} << (kMostPendingInMemory + 1);

constexpr unsigned pending_count(std::uint64_t pending) {
  return pending == ~std::uint64_t{0} ? 0 : 63u - static_cast<unsigned>(__builtin_clzll(~pending));
}

// Which callee is foretold for an indirect call: that of the entry at call_offset(PathState::called) ^
// call_offset(key of the callee before), in bytes.
inline constexpr std::uint32_t kCallEntries = 128;
constexpr std::uint64_t call_offset(std::uint64_t called_or_key) {
  return (called_or_key * 0x9e3779b97f4a7c15ull >> 57) * sizeof(CallEntry);
}

static_assert(offsetof(PathState, pending) == 0 && offsetof(PathState, called) == 8 &&
              offsetof(PathState, next) == 16 && offsetof(PathState, end) == 24);
static_assert(kCallEntries == 1u << 7 && sizeof(CallEntry) == 32);

// The beginning of a chunk of kind kThread in a path log.
struct PathThreadHead {
  ChunkHeader chunk;
  ThreadEntry entry;
  PathState state;
};

}  // namespace heddle::record
