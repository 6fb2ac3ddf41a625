// What went wrong in an execution, as plain data in shared memory: a kind, a message and the places that it
// cites.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/finding_kinds.h"

namespace heddle {

// The part that a cited place plays in the finding.
enum class PartRole : std::uint8_t {
  kHere = 0,        // where the failing thread was
  kAccess,          // first access of a race (the later one)
  kPreviousAccess,  // second access of a race
  kBlockedThread,   // a thread of a deadlock: waits for `address`, which `other` holds
  kHolds,           // where the holder took the object
  kWaits,           // another thread that was waiting at the time, not part of the cycle
  kThreadCreated,   // where `thread` was created, by `other`
  kAllocated,
  kFreed,
  kRunningThread,   // any other thread's position
  kLocation,        // the memory concerned: `address`, and where it is no heap block what it is
  kInitialised,     // where the object concerned was made
  kDestroyed,       // where it was destroyed
  kNotified,        // where it was signalled: before its thread waited, or so that `other` was woken
  kSettled,         // where the thread `other` was joined or detached before
  kThroughLibrary,  // `text`: a library whose synchronisation is not seen, and may be what orders the
                    // accesses
  kThreadEnded,     // where `thread` was when it ended
};
inline constexpr PartRole kLastPartRole = PartRole::kThreadEnded;

// How a race's access touched memory. Those from kAllocation on are no accesses by the program's own
// instructions, but count as ones; the part's text says more ("calloc", "condition variable").
enum class AccessKind : std::uint8_t {
  kNone = 0,
  kRead,
  kWrite,
  kAtomicRead,
  kAtomicWrite,
  kAllocation,   // a write
  kFree,         // a write
  kThreadEnd,    // a write of the thread's stack and thread-local storage
  kDestruction,  // a write of a synchronisation object
  kObjectUse,    // an atomic read of one
};
inline constexpr AccessKind kLastAccessKind = AccessKind::kObjectUse;

constexpr bool is_write(AccessKind access) {
  return access == AccessKind::kWrite || access == AccessKind::kAtomicWrite ||
         (access >= AccessKind::kAllocation && access <= AccessKind::kDestruction);
}
// By the program's own instructions.
constexpr bool is_plain(AccessKind access) {
  return access == AccessKind::kRead || access == AccessKind::kWrite;
}

// What the cited memory is.
enum class MemoryKind : std::uint8_t { kUnknown = 0, kHeap, kGlobal, kStack, kThreadLocal };

struct FindingPart {
  std::uint64_t pc = 0;
  Address address = 0;  // object or memory concerned
  StackId stack = kEmptyStack;
  std::uint32_t text = 0;    // what the object is ("mutex"): offset into the text section, 0: none
  EventId event = kNoEvent;  // an access: the last event before it, whose thread may be another
  ThreadId thread = kNoThread;
  ThreadId other = kNoThread;
  PartRole role = PartRole::kHere;
  AccessKind access = AccessKind::kNone;
  std::uint8_t size = 0;
  MemoryKind memory = MemoryKind::kUnknown;
  // kAllocated, kFreed: the heap block. kLocation on `thread`'s stack: the frame of the function at `pc`, by
  // its canonical address and how far below that its stack pointer is. kLocation in `thread`'s thread-local
  // storage: the module's load bias, and where in the module's block.
  Address block = 0;
  std::uint64_t block_size = 0;
};

inline constexpr std::uint32_t kMaxFindingParts = 96;

struct Finding {
  FindingKind kind = FindingKind::kNone;
  Severity severity = Severity::kBug;
  std::uint8_t signal = 0;
  std::uint8_t part_count = 0;
  std::int32_t exit_status = 0;
  std::uint32_t message = 0;    // offset into the text section
  EventId event = kNoEvent;     // the event at which it was seen
  std::uint64_t signature = 0;  // equal for the same bug in all executions of one campaign
  FindingPart parts[kMaxFindingParts];
};

}  // namespace heddle
