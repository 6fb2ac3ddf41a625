// The futex: what std::atomic::wait, latches, semaphores and futures of the C++ library stand on. It compares
// and blocks; happens-before comes from the atomic accesses around it.
#include <cerrno>

#include "runtime/engine/execution.h"

namespace heddle::engine {

using sched::Thread;
using sched::WaitKind;

int Execution::futex_wait(Address address, std::uint32_t expected, std::uint64_t deadline, std::uint64_t pc) {
  visible({EventKind::kFutexWait, MemoryOrder::kRelaxed, 4, address, pc});
  // The kernel reads memory itself, which holds the newest value.
  if (*reinterpret_cast<const volatile std::uint32_t*>(address) != expected) {
    done(EventKind::kFutexWait, 1);
    return EAGAIN;
  }
  if (Event* e = record(EventKind::kFutexWait, pc)) {
    e->address = address;
    e->value = expected;
  }
  done(EventKind::kFutexWait, 0);
  if (spurious_failure()) return EINTR;
  return wait(WaitKind::kFutex, address, deadline) ? 0 : ETIMEDOUT;
}

std::uint32_t Execution::futex_wake(Address address, std::uint32_t most, std::uint64_t pc) {
  visible({EventKind::kFutexWake, MemoryOrder::kRelaxed, 4, address, pc});
  std::uint32_t woken = 0;
  while (woken < most) {
    Thread* t = choose_waiter(WaitKind::kFutex, address);
    if (t == nullptr) break;
    scheduler_.make_runnable(*t);
    ++woken;
  }
  done(EventKind::kFutexWake, woken);
  if (Event* e = record(EventKind::kFutexWake, pc)) {
    e->address = address;
    e->value = woken;
  }
  return woken;
}

}  // namespace heddle::engine
