// What kinds of events do, in one table, for all who read traces or choose by kinds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/trace/event.h"

namespace heddle {

namespace event_traits {
inline constexpr std::uint8_t kReads = 1;     // memory
inline constexpr std::uint8_t kWrites = 2;    // memory
inline constexpr std::uint8_t kPlain = 4;     // an access without a place in a modification order
inline constexpr std::uint8_t kLocks = 8;     // a mutex or a readers-writer lock
inline constexpr std::uint8_t kUnlocks = 16;  // one of these
inline constexpr std::uint8_t kTakes = 32;  // what others have given: a sink of synchronisation by an object
inline constexpr std::uint8_t kGives = 64;  // a source of it
}  // namespace event_traits

constexpr std::uint8_t traits_in_table(EventKind kind) {
  using namespace event_traits;
  switch (kind) {
    case EventKind::kAtomicLoad:
    case EventKind::kCasFailed:
    case EventKind::kVolatileRead:
      return kReads;
    case EventKind::kAtomicStore:
    case EventKind::kVolatileWrite:
      return kWrites;
    case EventKind::kAtomicUpdate:
      return kReads | kWrites;
    case EventKind::kPlainRead:
      return kReads | kPlain;
    case EventKind::kPlainWrite:
      return kWrites | kPlain;
    case EventKind::kMutexLock:
    case EventKind::kRwlockReadLock:
    case EventKind::kRwlockWriteLock:
      return kLocks | kTakes;
    case EventKind::kMutexUnlock:
    case EventKind::kRwlockUnlock:
      return kUnlocks | kGives;
    case EventKind::kCondWait:
    case EventKind::kBarrierWait:
    case EventKind::kSemaphoreWait:
    case EventKind::kFutexWait:
    case EventKind::kOnce:
      return kTakes;
    case EventKind::kCondSignal:
    case EventKind::kCondBroadcast:
    case EventKind::kSemaphorePost:
    case EventKind::kFutexWake:
      return kGives;
    default:
      return 0;
  }
}

struct EventTraitTable {
  std::uint8_t of[static_cast<std::size_t>(EventKind::kCount)] = {};
};
// Strategies ask at each operation: a table is read faster than a switch is taken.
inline constexpr EventTraitTable kEventTraits = [] {
  EventTraitTable table;
  for (std::size_t i = 0; i < static_cast<std::size_t>(EventKind::kCount); ++i)
    table.of[i] = traits_in_table(static_cast<EventKind>(i));
  return table;
}();

constexpr std::uint8_t traits_of(EventKind kind) { return kEventTraits.of[static_cast<std::size_t>(kind)]; }
constexpr bool has_trait(EventKind kind, std::uint8_t trait) { return (traits_of(kind) & trait) != 0; }

constexpr bool reads_memory(EventKind kind) { return has_trait(kind, event_traits::kReads); }
constexpr bool writes_memory(EventKind kind) { return has_trait(kind, event_traits::kWrites); }
constexpr bool accesses_memory(EventKind kind) {
  return has_trait(kind, event_traits::kReads | event_traits::kWrites);
}
constexpr bool is_plain_access(EventKind kind) { return has_trait(kind, event_traits::kPlain); }

// Accesses that have a place in a modification order, or read from one.
constexpr bool loads_atomically(EventKind kind) {
  return (traits_of(kind) & (event_traits::kReads | event_traits::kPlain)) == event_traits::kReads;
}
constexpr bool stores_atomically(EventKind kind) {
  return (traits_of(kind) & (event_traits::kWrites | event_traits::kPlain)) == event_traits::kWrites;
}

constexpr bool takes_lock(EventKind kind) { return has_trait(kind, event_traits::kLocks); }
constexpr bool gives_lock_back(EventKind kind) { return has_trait(kind, event_traits::kUnlocks); }

// Operations on an object of synchronisation that several threads use.
constexpr bool synchronises(EventKind kind) {
  return kind >= EventKind::kMutexLock && kind <= EventKind::kFutexWake;
}

}  // namespace heddle
