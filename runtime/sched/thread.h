// One thread of the tested program.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/event_kinds.h"
#include "core/trace/orders.h"
#include "runtime/sched/blocking_call.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/ghost.h"
#include "runtime/sched/signals.h"

namespace heddle::sched {

enum class ThreadState : std::uint8_t { kUnused = 0, kRunnable, kBlocked, kFinished };

// What a blocked thread waits for.
enum class WaitKind : std::uint8_t {
  kNone = 0,
  kMutex,
  kCondition,
  kJoin,
  kReadLock,
  kWriteLock,
  kBarrier,
  kSemaphore,
  kFutex,
  kOnce,
  kSpinLock,
  kOutside,  // a blocking system call
  kPause,    // for a signal, or for ever
};

// The waits that POSIX lets a cancel request or a signal handler break off (2.9.5.2); a lock is none.
constexpr bool can_be_broken_off(WaitKind kind) {
  return kind == WaitKind::kCondition || kind == WaitKind::kJoin || kind == WaitKind::kSemaphore ||
         kind == WaitKind::kOutside || kind == WaitKind::kPause;
}

// The visible operation that the thread performs when it is next chosen to run. Strategies look at it.
struct PendingOperation {
  EventKind kind = EventKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;
  std::uint8_t size = 0;
  Address address = 0;
  std::uint64_t pc = 0;
};

// The shadow call stack's frame: where the function was called from, and its stack pointer, by which frames
// that were left by longjmp are recognised.
struct CallFrame {
  std::uint64_t pc;
  std::uint64_t stack_pointer;
};

inline constexpr std::uint32_t kMaxCallDepth = 1u << 16;
inline constexpr std::uint32_t kMaxWatchedLibraries = 32;
inline constexpr std::uint64_t kNoDeadline = ~0ull;
inline constexpr std::uint32_t kMaxKeys = 1024;  // PTHREAD_KEYS_MAX

struct ExitHandler {  // a thread_local destructor
  void (*function)(void*);
  void* argument;
  ExitHandler* next;
};

// The stack that a thread is to have.
struct StackRequest {
  std::size_t bytes = kDefaultStackBytes;
  void* low = nullptr;  // the program's own memory; nullptr: ours
};

// A place in the history of an object that the program records; as heddle_moment of <heddle/heddle.h>.
struct HistoryMoment {
  std::uint64_t order;
  std::uint64_t choices;
};

// Of a thread that runs while nothing changes (runtime/engine/spin_watch.h).
struct SpinRecord {
  std::uint32_t round = 0;       // the rest is of this one
  std::uint32_t operations = 0;  // visible ones
  std::uint32_t era = 0;         // the next two are of this one
  std::uint32_t looks = 0;
  std::uint32_t returns = 0;
  std::uint64_t outermost = 0;  // stack pointer of all looks
};

struct Thread {
  Fiber fiber;
  ThreadId id = kNoThread;
  ThreadState state = ThreadState::kUnused;
  WaitKind wait = WaitKind::kNone;
  bool detached = false;
  bool joined = false;
  bool pooled = false;     // a runtime library keeps it for later work: nobody will ever join it
  bool timed_out = false;  // the wait ended by its deadline
  bool spurious = false;   // the wait ended by a spurious wake-up
  bool exiting = false;    // running its exit handlers
  bool cancel_requested = false;
  bool cancel_disabled = false;
  bool cancel_asynchronous = false;
  bool at_cancellation_point = false;  // in a call that a cancel request breaks off
  bool cancel_broke_wait = false;      // a cancel request broke the call off
  bool cancel_before_effect = false;   // that call has not had its turn yet
  bool interrupted = false;            // the latest wait ended by a cancel request or a signal handler
  bool ignored = false;                // inside a scope that is not explored
  bool precedes_check = false;         // was there before the body of heddle::check began
  bool stores_in_burst = false;        // its latest operation was a relaxed or release store
  std::uint8_t region = 0;             // 1 + the rule by which nobody may come between now; 0: none
  bool region_done = false;            // nobody may come between only until its next operation
  bool region_locks = false;           // it holds the program's locks meanwhile
  std::uint8_t end_rule = 0;           // 1 + the rule by which others wait for its end; 0: none
  std::uint8_t start_rule = 0;         // 1 + the rule by which it has not begun yet; 0: none
  std::uint64_t rule_site =
      0;  // where the program called a library for what the thread does next; 0: it did not
  std::uint32_t start_mark = 0;    // how much of what such rules wait for had happened when it was created
  std::uint32_t region_depth = 0;  // nobody may come between while so many functions are on its shadow stack
  ThreadId parent = kNoThread;
  ThreadId waits_for = kNoThread;  // a thread whose end or unlock would wake this one, where known
  std::uint32_t children = 0;      // how many it has created; with parent, a name that no schedule changes
  std::uint32_t child_number = 0;
  std::uint64_t lineage = kMainLineage;  // parent and number as one number
  std::uint32_t awaited_order =
      0;  // 1 + the order (core/trace/orders.h) in which its pending access comes; 0: none
  std::uint32_t entered = 0;        // its latest block, counted over all threads' entries; 0: none yet
  std::uint32_t awaited_mutex = 0;  // the entry in which its wait for a condition takes the mutex again
  std::uint32_t runnable_position = 0;
  std::uint32_t runnable_hash = 0;  // its part of Scheduler::runnable_hash
  std::uint32_t wait_ticket = 0;    // order of arrival among the waiters of one object
  Address wait_object = 0;
  Address at_barrier = 0;           // that holds it back, also while it handles a signal
  Address wait_mutex = 0;           // condition waits: the mutex to take again
  std::uint32_t wait_bits = ~0u;    // futex waits: FUTEX_WAIT_BITSET's mask
  std::uint32_t wait_expected = 0;  // futex waits: the value that was found
  std::uint64_t deadline = kNoDeadline;
  PendingOperation pending;
  StackId pending_stack = kEmptyStack;  // callers of the pending operation, where they were unwound

  CallFrame* frames = nullptr;  // shadow call stack
  std::uint32_t depth = 0;
  std::uint64_t last_pc = 0;  // latest place known inside instrumented code
  std::uint64_t created_pc = 0;
  StackId created_stack = kEmptyStack;
  std::uint64_t settled_pc = 0;  // where it was joined or detached
  StackId settled_stack = kEmptyStack;
  ThreadId settled_by = kNoThread;
  PendingOperation spin;  // fair mode: the latest operation that only looked
  SpinRecord spin_record;
  SignalSet signal_mask = 0;           // blocked; inherited from the creator
  SignalSet awaited_signals = 0;       // sigwait and its like: what would end the wait
  SignalSet mask_before_handlers = 0;  // to return to when a handler is left by a jump
  std::uint32_t handlers_run = 0;
  std::uint32_t handler_depth = 0;              // handlers that are running on this thread
  bool in_fault_handler = false;                // the outermost handler runs because the thread crashed
  const BlockingCall* blocking_call = nullptr;  // kOutside: what it waits for
  HistoryMoment* call_moment = nullptr;         // its operation on a recorded object has not begun to act yet
  std::uint32_t message_clock = 0;  // what cancel requests and signals for it have released; 0: nothing yet

  // Libraries that were not compiled by heddle, a bit or an entry for each (runtime/engine/crossings.h).
  std::uint32_t libraries = 0;           // the thread is in these
  std::uint32_t callback_libraries = 0;  // these have called the program, and it has not returned yet
  std::uint32_t callback_depth = 0;      // functions on the shadow stack at the first of these calls
  // In recorded executions: 1 + the event before which it last went in, and was last seen to come from there.
  std::uint32_t entered_library[kMaxWatchedLibraries] = {};
  std::uint32_t left_library[kMaxWatchedLibraries] = {};

  Ghost ghost;
  std::uint64_t stack_low = 0;  // first usable byte
  std::uint64_t stack_top = 0;
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  void* (*body)(void*) = nullptr;  // the program's function, for `start` to call
  void* body_argument = nullptr;
  void* result = nullptr;
  ExitHandler* exit_handlers = nullptr;
  void** key_values = nullptr;      // kMaxKeys, allocated on first use
  std::uint32_t unlock_time = 0;    // up to which its latest unlock has published what it did
  std::uint32_t unlock_stores = 0;  // atomic stores that it had made by then
  char name[16] = {};
};

}  // namespace heddle::sched
