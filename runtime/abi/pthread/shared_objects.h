// Synchronisation objects that several processes use. A child process of the program runs natively, so the
// state of such an object is libc's own, in the shared memory: here it is tried without blocking, and asked
// for again when its bytes have changed. Conditions and barriers cannot be tried; for those a stand-in waits,
// a copy of this process that makes libc's call in the name of the fiber.
#pragma once

#include "runtime/abi/blocking_call.h"
#include "runtime/abi/pthread/pthread_objects.h"

namespace heddle::abi {

// Is this memory mapped as shared?
bool in_shared_memory(const void* object);
// The program has mapped some for itself; until then nobody needs to look.
void note_shared_mapping();
bool has_shared_mappings();

struct SharedCall {
  const char* name;
  const void* object;
  std::size_t bytes;
  sched::SyncKind kind;
  std::uint64_t pc;
};

// Stand-ins that a call of libc has set free run until they wait again or have ended: how fast the kernel is
// must not decide what fibers see.
void settle_stand_ins();

inline void end_shared_call(Execution& e, const SharedCall& call, int result) {
  settle_stand_ins();
  e.changed();
  e.io_happened();
  e.done(EventKind::kBlockingCall, static_cast<std::uint64_t>(result));
  e.note_call(call.name, -1, result == 0 ? 0 : -result, call.pc);
}

inline sched::SyncObject& sync_of(Execution& e, const SharedCall& call) {
  return e.sync_objects().get(reinterpret_cast<Address>(call.object), call.kind);
}

// A call that never blocks and passes on what the thread knows: unlock, post, signal.
template <typename Call>
int perform_shared(Execution& e, const SharedCall& call, Call perform) {
  e.visible(
      {EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, reinterpret_cast<Address>(call.object), call.pc});
  e.release(sync_of(e, call));
  const int result = perform();
  end_shared_call(e, call, result);
  return result;
}

// Waits until the object has changed; ETIMEDOUT, EINTR or 0. `before` is what it was when it was last tried.
int await_change(Execution& e, const SharedCall& call, const void* before, std::uint64_t deadline);

inline constexpr std::size_t kMostObjectBytes = 64;
// In place of a deadline: does not wait. A deadline of the program's that has passed long ago is another
// thing.
inline constexpr std::uint64_t kOnlyTry = 0;
inline std::uint64_t shared_deadline(std::uint64_t deadline) { return deadline == kOnlyTry ? 1 : deadline; }

// A call that takes the object. `attempt` is libc's call that does not block; it answers `not_yet` where it
// would have to.
template <typename Attempt>
int take_shared(Execution& e, const SharedCall& call, int not_yet, std::uint64_t deadline, Attempt attempt,
                bool can_be_interrupted = false) {
  e.visible(
      {EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, reinterpret_cast<Address>(call.object), call.pc});
  int result = 0;
  for (;;) {
    char before[kMostObjectBytes];
    memcpy(before, call.object, call.bytes);
    result = attempt();
    if (result != not_yet || deadline == kOnlyTry) break;
    const int outcome = await_change(e, call, before, deadline);
    if (outcome == ETIMEDOUT || (outcome == EINTR && can_be_interrupted)) {
      result = outcome;
      break;
    }
  }
  e.acquire(sync_of(e, call));
  end_shared_call(e, call, result);
  return result;
}

// Lets a stand-in make libc's blocking call; the answer is the call's. ETIMEDOUT after the deadline and EINTR
// where a cancel request came: then the call was broken off.
using BlockingFunction = int(void* argument);
int stand_in(Execution& e, const SharedCall& call, std::uint64_t deadline, BlockingFunction* function,
             void* argument);

// pthread_mutex.cpp: locks a mutex of several processes; natively nothing else is known of it.
bool is_shared_mutex(const pthread_mutex_t* mutex);
int lock_shared_mutex(Execution& e, pthread_mutex_t* mutex, std::uint64_t deadline, std::uint64_t pc);

}  // namespace heddle::abi
