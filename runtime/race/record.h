// One remembered access of one word: whose epoch, how, and which of the eight bytes. The rules of FastTrack
// (Flanagan and Freund, PLDI 2009), extended to atomic accesses and to bytes, are stated here and nowhere
// else.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "runtime/race/race.h"

namespace heddle::race {

// A record's word, from low to high: bytes touched (8), how (4), four bits of the list's, thread (12 bits
// from bit 16), time (32 bits from bit 32). The low 12 bits, without a thread and a time, are a `Shape`. The
// bits of kOfList belong to the list that the record is in, and not to the access.
namespace record_bits {
inline constexpr std::uint64_t kMask = 0xff;
inline constexpr std::uint64_t kWrite = 1u << 8;
inline constexpr std::uint64_t kAtomic = 1u << 9;  // atomic or volatile
inline constexpr std::uint64_t kVolatile = 1u << 10;
inline constexpr std::uint64_t kFree = 1u << 11;
inline constexpr std::uint64_t kLast = 1u << 12;
inline constexpr std::uint64_t kMoved = 1u
                                        << 13;  // during a collection: the time field holds the new StateId
inline constexpr std::uint64_t kShared = 1u << 14;     // in a list's first record: see StateTable::is_shared
inline constexpr std::uint64_t kRenewable = 1u << 15;  // of a word's own state: see is_renewed
inline constexpr std::uint32_t kRoomShift = 28;        // 4 bits of a list's first record: StateTable::room_of
inline constexpr std::uint64_t kRoom = 0xfu << kRoomShift;
inline constexpr std::uint64_t kOfList = kLast | kShared | kRenewable | kRoom;
inline constexpr std::uint32_t kThreadShift = 16;
inline constexpr std::uint32_t kTimeShift = 32;
inline constexpr std::uint64_t kThread = 0xfffull << kThreadShift;
inline constexpr std::uint64_t kEpoch = 0xffffffff0fff0000ull;
}  // namespace record_bits
static_assert(kMaxThreads <= 4096);

using Shape = std::uint32_t;

// Deeds that are no accesses of the program's own have combinations of bits that no access has: a plain write
// is never volatile, and nothing that is atomic frees.
constexpr Shape shape_of(Deed deed) {
  using namespace record_bits;
  switch (deed) {
    case Deed::kAllocation:
      return kWrite | kVolatile;
    case Deed::kFree:
      return kWrite | kFree;
    case Deed::kEnd:
      return kWrite | kFree | kVolatile;
    case Deed::kUse:
      return kAtomic | kFree;
    case Deed::kAccess:
      break;
  }
  return 0;
}
constexpr std::uint64_t kDeedBits = record_bits::kAtomic | record_bits::kVolatile | record_bits::kFree;
constexpr bool is_allocation(std::uint64_t record) { return (record & kDeedBits) == record_bits::kVolatile; }
constexpr Deed deed_of(std::uint64_t record) {
  using namespace record_bits;
  if ((record & kFree) != 0) {
    if ((record & kAtomic) != 0) return Deed::kUse;
    return (record & kVolatile) != 0 ? Deed::kEnd : Deed::kFree;
  }
  return is_allocation(record) ? Deed::kAllocation : Deed::kAccess;
}

// How an operation is recorded, without its bytes.
constexpr Shape shape_of(AccessOp op) {
  using namespace record_bits;
  Shape shape = 0;
  if (op >= AccessOp::kAtomicRead) shape |= kAtomic;
  if (op >= AccessOp::kVolatileRead) shape |= kVolatile;
  if (op == AccessOp::kWrite || op == AccessOp::kAtomicWrite || op == AccessOp::kVolatileWrite)
    shape |= kWrite;
  return shape;
}

// A mask of the word's bytes in [first, last).
constexpr std::uint64_t bytes_between(std::uint64_t first, std::uint64_t last) {
  return ((1ull << last) - 1) & ~((1ull << first) - 1);
}

constexpr std::uint64_t pack_epoch(ThreadId thread, std::uint32_t time) {
  return (static_cast<std::uint64_t>(index_of(thread)) << record_bits::kThreadShift) |
         (static_cast<std::uint64_t>(time) << record_bits::kTimeShift);
}
constexpr ThreadId thread_of(std::uint64_t record) {
  return ThreadId{static_cast<std::uint16_t>((record >> record_bits::kThreadShift) & 0xfff)};
}
constexpr std::uint32_t time_of(std::uint64_t record) {
  return static_cast<std::uint32_t>(record >> record_bits::kTimeShift);
}

// Two accesses conflict when at least one writes and at least one is not atomic ([intro.races]p2, p21).
constexpr bool conflicts(std::uint64_t a, std::uint64_t b) {
  return ((a | b) & record_bits::kWrite) != 0 && ((a & b) & record_bits::kAtomic) == 0;
}

// Whether whatever conflicts with `older` conflicts with `newer` too. If `older` also happens before `newer`,
// then who races with `older` later races with `newer`, and `older` need not be kept. Plain writes cover all;
// plain reads and atomic writes cover atomic reads but not each other.
constexpr bool covers(std::uint64_t newer, std::uint64_t older) {
  using namespace record_bits;
  constexpr std::uint64_t kKind = kWrite | kAtomic;
  return (newer & kKind) == kWrite || (newer & kKind) == (older & kKind) || (older & kKind) == kAtomic;
}

// Where a remembered access was made; precise mode only.
struct Site {
  std::uint64_t pc;
  StackId stack;
  std::uint32_t size_and_start;  // see pack_size
  EventId event;                 // the last one before it
};

// The size of an access and where it began: bytes from the word's begin, plus kStartBias (a 16-byte access
// that began in the word before has a negative distance); kSomewhere for a range.
inline constexpr std::uint32_t kStartBias = 15;
inline constexpr std::uint32_t kSizeBits = 27;
inline constexpr std::uint32_t kMaxSiteSize = (1u << kSizeBits) - 1;
inline constexpr std::uint32_t kSomewhere = 31;
constexpr std::uint32_t pack_size(std::uint64_t size, std::uint32_t start) {
  const std::uint64_t clipped = size < kMaxSiteSize ? size : kMaxSiteSize;
  return static_cast<std::uint32_t>(clipped) | (start << kSizeBits);
}

struct FastRecord {
  std::uint64_t bits;
  static constexpr bool kHasSite = false;
};

struct PreciseRecord {
  std::uint64_t bits;
  Site site;
  static constexpr bool kHasSite = true;
};
static_assert(sizeof(FastRecord) == 8 && sizeof(PreciseRecord) == 32);

}  // namespace heddle::race
