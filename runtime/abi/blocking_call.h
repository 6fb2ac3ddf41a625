// How an interposed system call that may block becomes one that does not: it is tried when it can succeed at
// once, and until then its thread is parked in the engine (runtime/engine/blocking.cpp).
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "runtime/abi/pthread/cancellation.h"

namespace heddle::abi {

using engine::Execution;
using Awaited = Execution::Awaited;

// The kernel's answer as libc gives it.
template <typename Result = long>
Result libc_result(long result) {
  if (result >= 0 || result < -4095) return static_cast<Result>(result);
  errno = static_cast<int>(-result);
  return static_cast<Result>(-1);
}

// Plain files, directories and bad descriptors never block.
inline bool can_block(int descriptor) {
  struct stat status{};
  return raw_syscall(SYS_fstat, descriptor, &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode) && !S_ISBLK(status.st_mode);
}

inline bool is_nonblocking(int descriptor) {
  const long flags = raw_syscall(SYS_fcntl, descriptor, F_GETFL, 0);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

// Nothing blocks in the kernel while one of these lives. The other fibers cannot tell: they do not run.
class NonblockingScope {
 public:
  explicit NonblockingScope(int descriptor)
      : descriptor_(descriptor), flags_(raw_syscall(SYS_fcntl, descriptor, F_GETFL, 0)) {
    if (changes()) raw_syscall(SYS_fcntl, descriptor_, F_SETFL, flags_ | O_NONBLOCK);
  }
  ~NonblockingScope() {
    if (changes()) raw_syscall(SYS_fcntl, descriptor_, F_SETFL, flags_);
  }
  NonblockingScope(const NonblockingScope&) = delete;
  NonblockingScope& operator=(const NonblockingScope&) = delete;

 private:
  bool changes() const { return flags_ >= 0 && (flags_ & O_NONBLOCK) == 0; }
  int descriptor_;
  long flags_;
};

struct DescriptorCall {
  const char* name;
  int descriptor;
  short events;  // POLLIN or POLLOUT: what the call waits for
  bool nonblocking = false;
  std::uint64_t deadline = sched::kNoDeadline;  // then it fails with EAGAIN
  std::uint64_t pc = 0;
};

// Performs a call on one descriptor. `attempt` makes the system call and answers the kernel's result; it must
// not block when the descriptor is ready, or answer -EAGAIN.
template <typename Attempt>
long perform(Execution& e, const DescriptorCall& call, Attempt attempt) {
  return cancellable(e, [&]() -> long {
    e.visible(
        {EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, static_cast<Address>(call.descriptor), call.pc});
    e.kernel_changes(SYS_ppoll);
    long result = -EAGAIN;
    bool may_ask = !e.has_children();
    for (;; may_ask = true) {
      pollfd polled{call.descriptor, call.events, 0};
      timespec none{};
      if (call.nonblocking || (may_ask && raw_syscall(SYS_ppoll, &polled, 1, &none, 0, 8) != 0)) {
        if (call.events == POLLOUT) e.release_descriptor(call.descriptor);
        result = attempt();
        if (result != -EAGAIN || call.nonblocking) break;
      }
      const sched::BlockingCall waiting{call.name, call.descriptor, &polled, 1};
      const Awaited awaited = e.await_outside(waiting, call.deadline);
      if (awaited == Awaited::kReady) continue;
      result = awaited == Awaited::kInterrupted ? -EINTR : -EAGAIN;
      break;
    }
    if (result >= 0) {
      if (call.events == POLLIN) e.acquire_descriptor(call.descriptor);
      e.changed();
      e.io_happened();
    }
    e.done(EventKind::kBlockingCall, static_cast<std::uint64_t>(result));
    e.note_call(call.name, call.descriptor, result, call.pc);
    return result;
  });
}

}  // namespace heddle::abi
