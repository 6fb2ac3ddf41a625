// The kinds of events, and what each kind does, in one table: for all who read traces or choose by kinds. The
// record itself is in event.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

struct Event;
inline constexpr std::size_t kEventBytes = 64;

enum class EventKind : std::uint8_t {
  kNone = 0,
  // Atomic memory. value: read or written; value2: what an update wrote.
  kAtomicLoad,
  kAtomicStore,
  kAtomicUpdate,
  kCasFailed,
  kFence,
  // Plain memory, recorded only where a finding cites it or shared memory is traced.
  kPlainRead,
  kPlainWrite,
  kVolatileRead,
  kVolatileWrite,
  // Threads. other: the thread created, joined or detached.
  kThreadStart,
  kThreadEnd,
  kThreadCreate,
  kThreadJoin,
  kThreadDetach,
  // Synchronisation objects. address: the object.
  kMutexLock,
  kMutexTryLockFailed,
  kMutexUnlock,
  kCondWait,    // released the mutex (value: its address) and began to wait
  kCondWake,    // returned from the wait, mutex held again; flags say whether by timeout or spuriously
  kCondSignal,  // other: the thread woken, or kNoThread
  kCondBroadcast,
  kRwlockReadLock,
  kRwlockWriteLock,
  kRwlockUnlock,
  kBarrierWait,
  kSemaphoreWait,
  kSemaphorePost,
  kFutexWait,
  kFutexWake,
  kOnce,
  // The rest of the world.
  kYield,
  kSleep,
  kAllocate,  // address, value: size
  kFree,
  kBlockingCall,
  kNote,     // text: heddle_note
  kOutcome,  // text: heddle_outcome
  kValueChoice,
  kExit,
  kFinding,
  kThreadCancel,  // other: the thread asked to end
  kSignal,        // value: the signal; sent to `other`, or its handler begins: kHandled
  kCount,
};

namespace event_flags {
inline constexpr std::uint8_t kStale = 1;  // the load did not read the newest store
inline constexpr std::uint8_t kTimedOut = 2;
inline constexpr std::uint8_t kSpurious = 4;
inline constexpr std::uint8_t kBlocked = 8;      // the thread had to wait before this took effect
inline constexpr std::uint8_t kInitial = 16;     // read the initial value: reads_from is kNoEvent
inline constexpr std::uint8_t kFailed = 32;      // the call returned an error
inline constexpr std::uint8_t kHandled = 8;      // kSignal: its handler runs
inline constexpr std::uint8_t kLatestOnly = 64;  // mixed access sizes: only the newest value was on offer
inline constexpr std::uint8_t kTurn = 128;  // a plain access that was a choice (core/trace/visible_places.h)
}  // namespace event_flags

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

// Of every value that a byte has: kinds come from files, too, and those that are none have no traits.
struct EventTraitTable {
  std::uint8_t of[256] = {};
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
