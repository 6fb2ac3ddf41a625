// flock, lockf and the locks of fcntl. Threads of the program can exclude each other by flock and by locks of
// open files (F_OFD_*); which other processes hold what is the kernel's to know.
#include <stdarg.h>
#include <sys/file.h>
#include <unistd.h>

#include "runtime/abi/blocking_call.h"

namespace heddle::abi {
namespace {

// File locks belong to the process or to the open file, so whoever runs may try for the thread that waits.
template <typename Attempt>
struct FileLock {
  Attempt& attempt;
  long result;
  static bool try_again(const sched::BlockingCall& call) {
    auto& lock = *reinterpret_cast<FileLock*>(call.argument);
    lock.result = lock.attempt();
    return lock.result != -EAGAIN;
  }
};

// Tries `attempt` (the kernel's result, -EAGAIN: held by another) again whenever something has happened.
template <typename Attempt>
long lock_file(Execution& e, const char* name, int descriptor, std::uint64_t pc, Attempt attempt) {
  return cancellable(e, [&]() -> long {
    e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, static_cast<Address>(descriptor), pc});
    long result = attempt();
    if (result == -EAGAIN) {
      FileLock<Attempt> lock{attempt, result};
      const sched::BlockingCall waiting{
          name, descriptor, nullptr, 0, FileLock<Attempt>::try_again, reinterpret_cast<long>(&lock)};
      const Awaited awaited = e.await_outside(waiting, sched::kNoDeadline);
      result = awaited == Awaited::kInterrupted ? -EINTR : lock.result;
    }
    if (result == 0) {
      e.acquire_descriptor(descriptor);
      e.changed();
    }
    e.done(EventKind::kBlockingCall, static_cast<std::uint64_t>(result));
    e.note_call(name, descriptor, result, pc);
    return result;
  });
}

void unlocked(Execution& e) {
  e.changed();
  e.io_happened();
}

long change_lock(Execution& e, int descriptor, int command, struct flock* lock, std::uint64_t pc) {
  e.kernel_changes(SYS_fcntl);
  if (lock->l_type == F_UNLCK) {
    e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, static_cast<Address>(descriptor), pc});
    e.release_descriptor(descriptor);
    const long result = raw_syscall(SYS_fcntl, descriptor, command, lock);
    unlocked(e);
    return result;
  }
  const int once = command == F_OFD_SETLKW ? F_OFD_SETLK : F_SETLK;
  if (command == once) return raw_syscall(SYS_fcntl, descriptor, command, lock);
  return lock_file(e, "fcntl", descriptor, pc, [&] {
    const long result = raw_syscall(SYS_fcntl, descriptor, once, lock);
    return result == -EACCES ? -EAGAIN : result;
  });
}

bool is_lock_command(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::libc_result;

HEDDLE_EXPORT int flock(int descriptor, int operation) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(flock)(descriptor, operation);
  e->kernel_changes(SYS_flock);
  if ((operation & LOCK_UN) != 0) {
    e->visible({heddle::EventKind::kBlockingCall, heddle::MemoryOrder::kRelaxed, 0,
                static_cast<heddle::Address>(descriptor), HEDDLE_CALLER_PC});
    e->release_descriptor(descriptor);
    const long result = heddle::raw_syscall(SYS_flock, descriptor, operation);
    heddle::abi::unlocked(*e);
    return libc_result<int>(result);
  }
  if ((operation & LOCK_NB) != 0)
    return libc_result<int>(heddle::raw_syscall(SYS_flock, descriptor, operation));
  return libc_result<int>(heddle::abi::lock_file(*e, "flock", descriptor, HEDDLE_CALLER_PC, [&] {
    return heddle::raw_syscall(SYS_flock, descriptor, operation | LOCK_NB);
  }));
}

HEDDLE_EXPORT int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  auto* e = engine();
  if (e != nullptr && heddle::abi::is_lock_command(command)) {
    return libc_result<int>(heddle::abi::change_lock(*e, descriptor, command,
                                                     static_cast<struct flock*>(argument), HEDDLE_CALLER_PC));
  }
  return HEDDLE_REAL(fcntl)(descriptor, command, argument);
}
HEDDLE_EXPORT int fcntl64(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return fcntl(descriptor, command, argument);
}

HEDDLE_EXPORT int lockf(int descriptor, int command, off_t length) {
  struct flock lock{};
  lock.l_type = static_cast<short>(command == F_ULOCK ? F_UNLCK : F_WRLCK);
  lock.l_whence = SEEK_CUR;
  lock.l_len = length;
  if (engine() == nullptr || command == F_TEST) return HEDDLE_REAL(lockf)(descriptor, command, length);
  return fcntl(descriptor, command == F_LOCK ? F_SETLKW : F_SETLK, &lock);
}
HEDDLE_EXPORT int lockf64(int descriptor, int command, off64_t length) {
  return lockf(descriptor, command, length);
}
