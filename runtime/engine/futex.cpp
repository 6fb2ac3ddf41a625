// The futex: what std::atomic::wait, latches, semaphores and futures of the C++ library stand on. It compares
// and blocks; happens-before comes from the atomic accesses around it.
#include <cerrno>

#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/waits.h"

namespace heddle::engine {

using sched::SyncKind;
using sched::Thread;
using sched::WaitKind;

namespace {

// The kernel reads memory itself, which holds the newest value.
std::uint32_t value_at(Address address) { return *reinterpret_cast<const volatile std::uint32_t*>(address); }

}  // namespace

int Execution::futex_wait(Address address, std::uint32_t expected, std::uint32_t bits, std::uint64_t deadline,
                          std::uint64_t pc, bool spurious) {
  visible({EventKind::kFutexWait, MemoryOrder::kRelaxed, 4, address, pc});
  if (value_at(address) != expected) {
    done(EventKind::kFutexWait, 1);
    return EAGAIN;
  }
  if (Event* e = record(EventKind::kFutexWait, pc)) {
    set_address(*e, address);
    e->value = expected;
  }
  done(EventKind::kFutexWait, 0);
  if (spurious && deadline > scheduler_.now() && wakes_spuriously()) return EINTR;
  Thread& t = self();
  t.wait_bits = bits;
  t.wait_expected = expected;
  const bool woken = wait(WaitKind::kFutex, address, deadline);
  t.wait_bits = ~0u;
  return woken ? 0 : ETIMEDOUT;
}

std::uint32_t Execution::futex_wake(Address address, std::uint32_t most, std::uint32_t bits,
                                    std::uint64_t pc) {
  visible({EventKind::kFutexWake, MemoryOrder::kRelaxed, 4, address, pc});
  std::uint32_t woken = 0;
  while (woken < most) {
    Thread* t = choose_waiter(WaitKind::kFutex, address, bits);
    if (t == nullptr) break;
    if (most == 1) note_heard(sync_.get(futex_key(address), SyncKind::kFutex), *t, pc);
    scheduler_.make_runnable(*t);
    ++woken;
  }
  if (most > 1 || (woken == 0 && most != 0)) note_early(sync_.get(futex_key(address), SyncKind::kFutex), pc);
  done(EventKind::kFutexWake, woken);
  if (Event* e = record(EventKind::kFutexWake, pc)) {
    set_address(*e, address);
    e->value = woken;
  }
  return woken;
}

int Execution::futex_requeue(Address address, std::uint32_t most, Address to, std::uint32_t move,
                             const std::uint32_t* expected, std::uint64_t pc) {
  if (expected != nullptr) {
    visible({EventKind::kFutexWake, MemoryOrder::kRelaxed, 4, address, pc});
    if (value_at(address) != *expected) {
      done(EventKind::kFutexWake, 1);
      return -EAGAIN;
    }
    // Compared and woken in one step: no other thread may come between.
  }
  const bool ignored = self().ignored;
  self().ignored = ignored || expected != nullptr;
  const std::uint32_t woken = futex_wake(address, most, ~0u, pc);
  self().ignored = ignored;
  std::uint32_t moved = 0;
  for (; moved < move; ++moved) {
    Thread* t = choose_waiter(WaitKind::kFutex, address);
    if (t == nullptr) break;
    t->wait_object = to;
  }
  return static_cast<int>(woken + moved);
}

}  // namespace heddle::engine
