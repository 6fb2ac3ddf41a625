// System calls of code that passes by every interposer: libc's own (stdio on a pipe, the lock of a FILE), and
// libraries that make them by hand (libgomp's futex). Those that would block the kernel thread, and with it
// all fibers, are answered by the engine; runtime/session/syscall_gate.h catches them.
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <time.h>

#include "runtime/abi/libc/descriptor_calls.h"
#include "runtime/abi/libc/library_syscalls.h"
#include "runtime/abi/pthread/futex_syscall.h"
#include "runtime/abi/pthread/shared_objects.h"
#include "runtime/session/syscall_gate.h"

namespace heddle::abi {
namespace {

// libc's functions that are cancellation points (POSIX 2.9.5.2), also where libc calls them itself: those
// that must not be cancelled it calls by other names. Cancelled, they are left by an unwind from a signal's
// frame, as natively.
struct CancellationPoint {
  long number;
  const char* name;
  std::uint64_t begin;
};
CancellationPoint cancellation_points[] = {
    {SYS_read, "read", 0}, {SYS_readv, "readv", 0}, {SYS_write, "write", 0}, {SYS_writev, "writev", 0}};
constexpr std::uint64_t kMostBytesOfFunction = 160;  // they are wrappers of one system call

void find_cancellation_points() {
  for (CancellationPoint& point : cancellation_points)
    point.begin = reinterpret_cast<std::uint64_t>(next_symbol(point.name));
}

bool is_cancellation_point(long number, std::uint64_t pc) {
  for (const CancellationPoint& point : cancellation_points) {
    if (point.number == number) return pc > point.begin && pc <= point.begin + kMostBytesOfFunction;
  }
  return false;
}

// The caller is in the middle of libc or of a library: most calls are no cancellation points, and libc's
// errno is the caller's to set.
class InsideLibrary {
 public:
  InsideLibrary(Execution& e, bool can_be_cancelled)
      : thread_(e.self()), cancel_disabled_(thread_.cancel_disabled), errno_(errno) {
    thread_.cancel_disabled = cancel_disabled_ || !can_be_cancelled;
  }
  ~InsideLibrary() {
    thread_.cancel_disabled = cancel_disabled_;
    errno = errno_;
  }
  InsideLibrary(const InsideLibrary&) = delete;
  InsideLibrary& operator=(const InsideLibrary&) = delete;

 private:
  sched::Thread& thread_;
  bool cancel_disabled_;
  int errno_;
};

// What our own interposer answered, as the kernel would.
long kernel_result(long result) { return result == -1 ? -errno : result; }

// Waiters of other processes, and of libc's own threads, are in the kernel.
bool is_kernels_futex(const long* a) {
  return (a[1] & FUTEX_PRIVATE_FLAG) == 0 && in_shared_memory(reinterpret_cast<const void*>(a[0]));
}

// Threads that libc has made for itself wait in the kernel, too.
long wake_everywhere(Execution& e, const long* a, std::uint64_t pc) {
  const long woken = answer_futex(e, a, false, pc);
  if (woken < 0 || woken >= static_cast<int>(a[2])) return woken;
  const long more = raw_syscall(SYS_futex, a[0], a[1], a[2] - woken, 0, 0, a[5]);
  return more > 0 ? woken + more : woken;
}

long answer_private_futex(Execution& e, const long* a, std::uint64_t pc) {
  const long operation = a[1] & FUTEX_CMD_MASK;
  if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) return wake_everywhere(e, a, pc);
  return answer_futex(e, a, false, pc);
}

bool answer_call(Execution& e, long number, const long* a, std::uint64_t pc, long& result) {
  const auto descriptor = static_cast<int>(a[0]);
  auto* const buffer = reinterpret_cast<void*>(a[1]);
  const auto bytes = static_cast<std::size_t>(a[2]);
  const auto* const parts = static_cast<const iovec*>(buffer);
  switch (number) {
    case SYS_futex:
      if (is_kernels_futex(a)) return false;
      result = answer_private_futex(e, a, pc);
      return true;
    case SYS_read:
      result = read_some(e, descriptor, buffer, bytes, pc);
      return true;
    case SYS_readv:
      result = readv_some(e, descriptor, parts, static_cast<int>(bytes), pc);
      return true;
    case SYS_write:
      result = write_all(e, descriptor, buffer, bytes, pc);
      return true;
    case SYS_writev:
      result = writev_all(e, descriptor, parts, static_cast<int>(bytes), pc);
      return true;
    case SYS_poll:
      result = kernel_result(
          poll(reinterpret_cast<pollfd*>(a[0]), static_cast<nfds_t>(a[1]), static_cast<int>(a[2])));
      return true;
    case SYS_nanosleep:
      result =
          kernel_result(nanosleep(reinterpret_cast<const timespec*>(a[0]), static_cast<timespec*>(buffer)));
      return true;
    case SYS_clock_nanosleep:
      result = -clock_nanosleep(descriptor, static_cast<int>(a[1]), reinterpret_cast<const timespec*>(a[2]),
                                reinterpret_cast<timespec*>(a[3]));
      return true;
    case SYS_sched_yield:
      e.yield(pc);
      result = 0;
      return true;
    default:
      return false;
  }
}

// Descriptors 0 to 2 are memory files until the program makes them something else, which is noticed.
bool never_blocks(long number, const long* arguments) {
  const session::SyscallGate* gate = session::syscall_gate();
  return number != SYS_futex && number != SYS_sched_yield && gate != nullptr && !gate->was_opened() &&
         session::SyscallGate::harmless(number, arguments);
}

bool answer(long number, const long* arguments, std::uint64_t pc, long& result) {
  Execution* e = engine();
  if (e == nullptr || never_blocks(number, arguments)) return false;
  const bool can_be_cancelled = is_cancellation_point(number, pc);
  const InsideLibrary scope(*e, can_be_cancelled);
  if (can_be_cancelled) act_on_cancel(*e);  // also where nothing blocks
  return answer_call(*e, number, arguments, pc, result);
}

}  // namespace

void answer_library_syscalls() {
  find_cancellation_points();
  session::set_syscall_answer(answer);
}

}  // namespace heddle::abi
