// pthread_once (std::call_once) and the guards of function-local statics.
#include <pthread.h>

#include "runtime/abi/pthread/once_call.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/engine/atomics.h"

namespace heddle::abi {
namespace {

using sched::SyncKind;
using sched::SyncObject;
using sched::WaitKind;

// Runs at most one initialiser at a time. True: the caller is to initialise; false: it has been done.
// `is_done` looks at the program's own flag.
template <typename IsDone>
bool begin_initialisation(engine::Execution& e, SyncObject& once, std::uint64_t pc, IsDone is_done) {
  e.visible({EventKind::kOnce, MemoryOrder::kAcquire, 0, once.address, pc});
  while (!is_done()) {
    if (once.owner == kNoThread) {
      once.owner = e.self().id;
      once.where_pc = pc;
      once.where_stack = e.recording() ? e.stack_of(e.self()) : kEmptyStack;
      e.acquire(once);  // [thread.once.callonce]: a failed execution synchronises with the next one
      return true;
    }
    if (once.owner == e.self().id) {
      e.misuse(FindingKind::kDeadlock, "an initialiser that runs once is entered again by its own thread",
               once, pc);
    }
    e.wait(WaitKind::kOnce, once.address, sched::kNoDeadline, once.owner);
  }
  e.acquire(once);
  return false;
}

void end_initialisation(engine::Execution& e, SyncObject& once) {
  e.release(once);
  once.owner = kNoThread;
  e.scheduler().wake_all(WaitKind::kOnce, once.address);
  e.changed();
}

void note_once(engine::Execution& e, Address address, std::uint64_t pc) {
  e.done(EventKind::kOnce, 0);
  if (Event* event = e.record(EventKind::kOnce, pc)) event->address = address;
}

void abandon_once(void* control) {
  engine::Execution& e = *current;
  end_initialisation(e, e.sync_objects().get(reinterpret_cast<Address>(control), SyncKind::kOnce));
}

constexpr int kOnceDone = 2;  // libc's value for a finished pthread_once_t

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT int pthread_once(pthread_once_t* control, void (*initialise)()) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_once)(control, initialise);
  const auto address = reinterpret_cast<heddle::Address>(control);
  auto& once = e->sync_objects().get(address, heddle::sched::SyncKind::kOnce);
  const std::uint64_t pc = HEDDLE_CALLER_PC;
  if (heddle::abi::begin_initialisation(*e, once, pc,
                                        [control] { return *control == heddle::abi::kOnceDone; })) {
    heddle_call_once(initialise, heddle::abi::abandon_once, control);
    *control = heddle::abi::kOnceDone;
    heddle::abi::end_initialisation(*e, once);
  }
  heddle::abi::note_once(*e, address, pc);
  return 0;
}

// Itanium C++ ABI 3.3.2: the first byte of the guard is non-zero once the object is constructed. Compiled
// code reads it by an atomic acquire load, so it is written by an atomic release store.
HEDDLE_EXPORT int __cxa_guard_acquire(std::uint64_t* guard) {
  auto* first_byte = reinterpret_cast<unsigned char*>(guard);
  auto* e = engine();
  if (e == nullptr) {
    using Real = int(std::uint64_t*);
    static Real* real = heddle::abi::next_function<Real>("__cxa_guard_acquire");
    return real(guard);
  }
  const std::uint64_t pc = HEDDLE_CALLER_PC;
  auto& once =
      e->sync_objects().get(reinterpret_cast<heddle::Address>(guard), heddle::sched::SyncKind::kGuard);
  const bool mine =
      heddle::abi::begin_initialisation(*e, once, pc, [first_byte] { return *first_byte != 0; });
  heddle::abi::note_once(*e, once.address, pc);
  return mine ? 1 : 0;
}

HEDDLE_EXPORT void __cxa_guard_release(std::uint64_t* guard) {
  auto* e = engine();
  if (e == nullptr) {
    using Real = void(std::uint64_t*);
    static Real* real = heddle::abi::next_function<Real>("__cxa_guard_release");
    return real(guard);
  }
  auto& once =
      e->sync_objects().get(reinterpret_cast<heddle::Address>(guard), heddle::sched::SyncKind::kGuard);
  heddle::engine::atomic_store<std::uint8_t>(
      *e, {reinterpret_cast<heddle::Address>(guard), heddle::MemoryOrder::kRelease, HEDDLE_CALLER_PC}, 1);
  heddle::abi::end_initialisation(*e, once);
}

HEDDLE_EXPORT void __cxa_guard_abort(std::uint64_t* guard) {
  auto* e = engine();
  if (e == nullptr) {
    using Real = void(std::uint64_t*);
    static Real* real = heddle::abi::next_function<Real>("__cxa_guard_abort");
    return real(guard);
  }
  heddle::abi::end_initialisation(
      *e, e->sync_objects().get(reinterpret_cast<heddle::Address>(guard), heddle::sched::SyncKind::kGuard));
}
