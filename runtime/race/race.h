// What the race detector is told and what it answers, as plain values.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/finding.h"

namespace heddle::race {

// How an access touches memory. An update (fetch_add, exchange, successful compare-exchange) is an atomic
// write; a failed compare-exchange is an atomic read. A volatile access meets others as an atomic one does
// (MEMORY_MODEL, C11Tester §7.2): silent against volatile and atomic accesses, a race against plain ones. A
// caller whose user asked for plain volatile accesses passes them as plain.
enum class AccessOp : std::uint8_t {
  kRead = 0,
  kWrite,
  kAtomicRead,
  kAtomicWrite,
  kVolatileRead,
  kVolatileWrite,
};
inline constexpr std::uint32_t kAccessOps = 6;

// Fast: the shadow holds epochs only; for campaigns. Precise: it also holds where each remembered access was
// made; for an execution that is run again to be explained. The verdicts of both are the same.
enum class Mode : std::uint8_t { kFast, kPrecise };

// What a remembered access is to the program. Storage that begins or ends, and an object that is destroyed,
// are written as a whole; so is [basic.life]p2's end of an object seen by those who may still access it.
enum class Deed : std::uint8_t {
  kAccess = 0,
  kAllocation,  // a write: the block was handed out
  kFree,        // a write: the block was given back
  kEnd,  // a write: an object was destroyed, or a thread's stack and thread-local storage ended with it
  kUse,  // an atomic read: an operation on a synchronisation object
};

// One side of a race.
struct RaceAccess {
  Address address = 0;  // first byte; of the previous access in fast mode: its first byte known to overlap
  std::uint64_t size =
      0;  // in bytes; of the previous access in fast mode: bytes known to be accessed in that word
  std::uint64_t pc = 0;  // 0 where unknown: the previous access in fast mode
  StackId stack = kEmptyStack;
  EventId event = kNoEvent;  // what at_event() was told last before the access; precise mode only
  std::uint32_t time = 0;
  ThreadId thread = kNoThread;
  AccessKind kind = AccessKind::kNone;
  bool is_volatile = false;
  Deed deed = Deed::kAccess;
};

// Two accesses of overlapping bytes, at least one a write, at least one not atomic, neither happening before
// the other ([intro.races]p21).
struct Race {
  Address address = 0;  // the lowest byte at which they meet
  RaceAccess current;   // the later one in the execution
  RaceAccess previous;
};

}  // namespace heddle::race
