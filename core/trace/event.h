// One thing that one thread did. Events are written only when an execution is run again to be explained; a
// campaign runs without them.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

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
  kCount,
};

namespace event_flags {
inline constexpr std::uint8_t kStale = 1;  // the load did not read the newest store
inline constexpr std::uint8_t kTimedOut = 2;
inline constexpr std::uint8_t kSpurious = 4;
inline constexpr std::uint8_t kBlocked = 8;   // the thread had to wait before this took effect
inline constexpr std::uint8_t kInitial = 16;  // read the initial value: reads_from is kNoEvent
inline constexpr std::uint8_t kFailed = 32;   // the call returned an error
inline constexpr std::uint8_t kLatestOnly =
    64;  // mixed access sizes: the model offered the newest value only
}  // namespace event_flags

struct Event {
  std::uint64_t pc = 0;  // in the instrumented caller; a return address
  Address address = 0;
  std::uint64_t value = 0;  // low 8 bytes for 16-byte accesses
  std::uint64_t value2 = 0;
  EventId reads_from = kNoEvent;
  std::uint32_t mo_position = 0;  // place of a store in its location's modification order; 0: not a store
  StackId stack = kEmptyStack;    // the callers; pc is the innermost frame
  ThreadId thread = kMainThread;
  ThreadId other = kNoThread;
  std::uint32_t text = 0;        // offset into the channel's text section, 0: none
  std::uint32_t candidates = 0;  // how many stores a load could have read
  // Which atomic object this was, counted from 1: memory that is freed, or plainly initialised anew, holds
  // another one afterwards, with a modification order of its own. 0: no atomic access.
  std::uint32_t location = 0;
  EventKind kind = EventKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;
  std::uint8_t size = 0;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Event) == 64);

}  // namespace heddle
