// syscall(): the C++ library calls futex through it.
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <unistd.h>

#include "runtime/abi/pthread_objects.h"
#include "runtime/session/syscall_gate.h"

namespace heddle::abi {
namespace {

int as_result(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

long futex(engine::Execution& e, const long* a, std::uint64_t pc) {
  const auto address = static_cast<Address>(a[0]);
  const long operation = a[1] & FUTEX_CMD_MASK;
  const auto value = static_cast<std::uint32_t>(a[2]);
  const auto* time = reinterpret_cast<const timespec*>(a[3]);
  std::uint64_t deadline = sched::kNoDeadline;
  switch (operation) {
    case FUTEX_WAIT:  // relative time
      if (time != nullptr) deadline = e.scheduler().now() + nanoseconds(*time);
      return as_result(e.futex_wait(address, value, deadline, pc));
    case FUTEX_WAIT_BITSET:
      if (time != nullptr) {
        deadline = deadline_of(*time, (a[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
      }
      return as_result(e.futex_wait(address, value, deadline, pc));
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return static_cast<long>(e.futex_wake(address, value, pc));
    default:
      e.unsupported("This futex operation (not a wait or a wake)",
                    "Use a mutex and a condition variable instead.");
  }
}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT long syscall(long number, ...) noexcept {
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (auto* e = heddle::abi::engine()) {
    if (number == SYS_futex) return heddle::abi::futex(*e, a, HEDDLE_CALLER_PC);
    if (number == SYS_gettid) return gettid();
    if (number == SYS_getpid) return getpid();
    if (number == SYS_sched_yield) {
      e->yield(HEDDLE_CALLER_PC);
      return 0;
    }
  }
  heddle::session::program_makes_syscall(number, a);
  const long result = heddle::raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}
