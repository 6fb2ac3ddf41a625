// syscall(): the C++ library calls futex through it, others whatever libc had no name for once.
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/abi/blocking_call.h"
#include "runtime/abi/pthread/futex_operation.h"
#include "runtime/abi/pthread/futex_syscall.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/engine/atomics.h"
#include "runtime/session/syscall_gate.h"

namespace heddle::abi {
namespace {

long wake_op(engine::Execution& e, const long* a, std::uint64_t pc) {
  const auto code = static_cast<std::uint32_t>(a[5]);
  if (!is_futex_operation(code)) return -ENOSYS;
  const std::uint32_t old =
      engine::atomic_update<std::uint32_t>(e, {static_cast<Address>(a[4]), MemoryOrder::kSeqCst, pc},
                                           [code](std::uint32_t value) { return futex_apply(code, value); });
  if (!is_futex_comparison(code)) return -ENOSYS;
  std::uint32_t woken = e.futex_wake(static_cast<Address>(a[0]), static_cast<std::uint32_t>(a[2]), ~0u, pc);
  if (futex_compares(code, old))
    woken += e.futex_wake(static_cast<Address>(a[4]), static_cast<std::uint32_t>(a[3]), ~0u, pc);
  return woken;
}

// The word of a lock with priority inheritance holds its owner's thread id, and whether others wait
// (futex(2)). Priorities mean nothing here, so it is an ordinary lock.
constexpr std::uint32_t kOwnerBits = FUTEX_TID_MASK;
constexpr long kLockPi2 = 13;  // FUTEX_LOCK_PI2, Linux 5.14

int lock_pi(engine::Execution& e, Address address, bool only_try, std::uint64_t deadline, std::uint64_t pc) {
  const auto own = static_cast<std::uint32_t>(gettid());
  for (;;) {
    const std::uint32_t old = engine::atomic_update<std::uint32_t>(
        e, {address, MemoryOrder::kSeqCst, pc}, [&](std::uint32_t value) {
          if ((value & kOwnerBits) == 0) return own | (value & FUTEX_WAITERS);
          return only_try ? value : value | FUTEX_WAITERS;
        });
    if ((old & kOwnerBits) == 0) return 0;
    if ((old & kOwnerBits) == own) return EDEADLK;
    if (only_try) return EAGAIN;
    const int error = e.futex_wait(address, old | FUTEX_WAITERS, ~0u, deadline, pc);
    if (error == ETIMEDOUT) return error;
  }
}

int unlock_pi(engine::Execution& e, Address address, std::uint64_t pc) {
  const auto own = static_cast<std::uint32_t>(gettid());
  const std::uint32_t old = engine::atomic_update<std::uint32_t>(
      e, {address, MemoryOrder::kSeqCst, pc},
      [own](std::uint32_t value) { return (value & kOwnerBits) == own ? 0 : value; });
  if ((old & kOwnerBits) != own) return EPERM;
  e.futex_wake(address, ~0u >> 1, ~0u, pc);
  return 0;
}

}  // namespace

long answer_futex(engine::Execution& e, const long* a, bool spurious, std::uint64_t pc) {
  const auto address = static_cast<Address>(a[0]);
  const long operation = a[1] & FUTEX_CMD_MASK;
  const auto value = static_cast<std::uint32_t>(a[2]);
  const auto* time = reinterpret_cast<const timespec*>(a[3]);
  const auto bits = static_cast<std::uint32_t>(a[5]);
  if (address % sizeof(std::uint32_t) != 0) return -EINVAL;
  std::uint64_t deadline = sched::kNoDeadline;
  switch (operation) {
    case FUTEX_WAIT:  // relative time
      if (time != nullptr && !valid_time(*time)) return -EINVAL;
      if (time != nullptr) deadline = e.scheduler().now() + nanoseconds(*time);
      return -e.futex_wait(address, value, ~0u, deadline, pc, spurious);
    case FUTEX_WAIT_BITSET:
      if (bits == 0 || (time != nullptr && !valid_time(*time))) return -EINVAL;
      if (time != nullptr) {
        deadline = deadline_of(*time, (a[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC);
      }
      return -e.futex_wait(address, value, bits, deadline, pc, spurious);
    case FUTEX_WAKE:
      return static_cast<long>(e.futex_wake(address, value, ~0u, pc));
    case FUTEX_WAKE_BITSET:
      if (bits == 0) return -EINVAL;
      return static_cast<long>(e.futex_wake(address, value, bits, pc));
    case FUTEX_WAKE_OP:
      return wake_op(e, a, pc);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE: {
      const auto expected = static_cast<std::uint32_t>(a[5]);
      return e.futex_requeue(address, value, static_cast<Address>(a[4]), static_cast<std::uint32_t>(a[3]),
                             operation == FUTEX_CMP_REQUEUE ? &expected : nullptr, pc);
    }
    case FUTEX_LOCK_PI:
    case kLockPi2: {
      if (time != nullptr && !valid_time(*time)) return -EINVAL;
      const bool realtime = operation == FUTEX_LOCK_PI || (a[1] & FUTEX_CLOCK_REALTIME) != 0;
      if (time != nullptr) deadline = deadline_of(*time, realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC);
      return -lock_pi(e, address, false, deadline, pc);
    }
    case FUTEX_TRYLOCK_PI:
      return -lock_pi(e, address, true, deadline, pc);
    case FUTEX_UNLOCK_PI:
      return -unlock_pi(e, address, pc);
    default:
      e.unsupported("A futex operation that moves waiters to a lock with priority inheritance",
                    "Use pthread_cond_t and pthread_mutex_t with PTHREAD_PRIO_INHERIT instead.");
  }
}

namespace {

// Calls that mean something to the engine are those of libc; `answered` says whether this is one.
long known_call(engine::Execution& e, long number, const long* a, std::uint64_t pc, bool& answered) {
  const auto descriptor = static_cast<int>(a[0]);
  auto* const second = reinterpret_cast<void*>(a[1]);
  answered = true;
  switch (number) {
    case SYS_futex:
      return libc_result(answer_futex(e, a, true, pc));
    case SYS_futex_waitv:
      e.unsupported("futex_waitv", "Let the thread wait for one word, or use a condition variable.");
    case SYS_gettid:
      return gettid();
    case SYS_getpid:
      return getpid();
    case SYS_getppid:
      return getppid();
    case SYS_sched_yield:
      e.yield(pc);
      return 0;
    case SYS_read:
      return read(descriptor, second, static_cast<std::size_t>(a[2]));
    case SYS_write:
      return write(descriptor, second, static_cast<std::size_t>(a[2]));
    case SYS_close:
      return close(descriptor);
    case SYS_clock_gettime:
      return clock_gettime(descriptor, static_cast<timespec*>(second));
    case SYS_nanosleep:
      return nanosleep(reinterpret_cast<const timespec*>(a[0]), static_cast<timespec*>(second));
    case SYS_getrandom:
      return getrandom(reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]),
                       static_cast<unsigned>(a[2]));
    case SYS_kill:
      return kill(descriptor, static_cast<int>(a[1]));
    case SYS_tgkill:
      return tgkill(descriptor, static_cast<int>(a[1]), static_cast<int>(a[2]));
    case SYS_getcpu:
      return getcpu(reinterpret_cast<unsigned*>(a[0]), static_cast<unsigned*>(second));
    case SYS_sched_setaffinity:
      return sched_setaffinity(descriptor, static_cast<std::size_t>(a[1]),
                               reinterpret_cast<const cpu_set_t*>(a[2]));
    case SYS_poll:
      return poll(reinterpret_cast<pollfd*>(a[0]), static_cast<nfds_t>(a[1]), static_cast<int>(a[2]));
    case SYS_pause:
      return pause();
    case SYS_epoll_wait:
      return epoll_wait(descriptor, static_cast<epoll_event*>(second), static_cast<int>(a[2]),
                        static_cast<int>(a[3]));
    case SYS_wait4:
      return wait4(descriptor, static_cast<int*>(second), static_cast<int>(a[2]),
                   reinterpret_cast<rusage*>(a[3]));
    case SYS_exit_group:
      _exit(descriptor);
    case SYS_fork:
    case SYS_vfork:
      return fork();
    case SYS_clone:
    case SYS_clone3:
    case SYS_exit:
      e.unsupported("A thread or process made by the system call clone itself",
                    "Use pthread_create, std::thread, fork or posix_spawn.");
    case SYS_rt_sigaction:
    case SYS_rt_sigprocmask:
    case SYS_rt_sigtimedwait:
      e.unsupported("A signal function called through syscall()",
                    "Call sigaction and its relatives of libc.");
    default:
      answered = false;
      return 0;
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
    bool answered = false;
    const long result = heddle::abi::known_call(*e, number, a, HEDDLE_CALLER_PC, answered);
    if (answered) return result;
  }
  heddle::session::program_makes_syscall(number, a);
  const long result = heddle::raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}
