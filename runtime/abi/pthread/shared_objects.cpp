#include "runtime/abi/pthread/shared_objects.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/base/small_file.h"
#include "core/base/text_buffer.h"

namespace heddle::abi {
namespace {

// --- changes --------------------------------------------------------------------------------------------
struct Change {
  const void* object;
  const void* before;
  std::size_t bytes;
};

bool has_changed(const sched::BlockingCall& call) {
  const auto& change = *reinterpret_cast<const Change*>(call.argument);
  return memcmp(change.object, change.before, change.bytes) != 0;
}

// --- stand-ins ------------------------------------------------------------------------------------------
// Those that wait now. One for each fiber at the most.
struct StandIns {
  pid_t pid[kMaxThreads] = {};
  std::uint32_t count = 0;
};
constinit StandIns waiting;

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return raw_syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL, 0) < 0 ||
         info.si_pid != 0;
}

bool stand_in_has_ended(const sched::BlockingCall& call) {
  return has_ended(static_cast<pid_t>(call.argument));
}

// /proc tells the number of the system call in which a process is blocked.
bool waits_in_kernel(pid_t pid) {
  TextBuffer<64> path;
  path << "/proc/";
  path.decimal(pid) << "/syscall";
  char text[32];
  return read_small_file(path.c_str(), text, sizeof text) > 4 && memcmp(text, "202 ", 4) == 0;  // futex
}

void settle(pid_t pid) {
  // Where /proc does not tell, the stand-in gets a moment.
  for (int tries = 0; tries < 2000 && !has_ended(pid) && !waits_in_kernel(pid); ++tries) {
    timespec pause{0, 50'000};
    raw_syscall(SYS_nanosleep, &pause, 0);
  }
}

[[noreturn]] void be_stand_in(long parent, BlockingFunction* function, void* argument) {
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (raw_syscall(SYS_getppid) != parent) raw_syscall(SYS_exit_group, 0);
  const std::uint64_t all = ~0ull;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, 8);
  // Others wait for the ends of the program's pipes.
  raw_syscall(SYS_close_range, 0, ~0u, 0);
  const int result = function(argument);
  for (;;) raw_syscall(SYS_exit_group, result & 0xff);
}

void forget(pid_t pid) {
  for (std::uint32_t i = 0; i < waiting.count; ++i) {
    if (waiting.pid[i] == pid) waiting.pid[i] = waiting.pid[--waiting.count];
  }
}

// The stand-in's result; -1 where it was ended.
int reap(pid_t pid) {
  forget(pid);
  siginfo_t info{};
  raw_syscall(SYS_waitid, P_PID, pid, &info, WEXITED | __WALL, 0);
  return info.si_code == CLD_EXITED ? info.si_status : -1;
}

}  // namespace

namespace {
bool shares_memory = false;
}
void note_shared_mapping() { shares_memory = true; }
bool has_shared_mappings() { return shares_memory; }

bool in_shared_memory(const void* object) {
  const auto address = reinterpret_cast<std::uint64_t>(object);
  if (heap::Heap::contains(address)) return false;
  const long file = raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  // "55c0a8a00000-55c0a8a02000 rw-s 00000000 …": begin, end, and s for shared.
  enum class Part { kBegin, kEnd, kModes, kRest } part = Part::kBegin;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool shared = false;
  char text[4096];
  for (long bytes; !shared && (bytes = raw_syscall(SYS_read, file, text, sizeof text)) > 0;) {
    for (long i = 0; i < bytes; ++i) {
      const char c = text[i];
      const auto digit = static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      if (c == '\n') {
        part = Part::kBegin;
        begin = end = 0;
      } else if (part == Part::kBegin) {
        c == '-' ? void(part = Part::kEnd) : void(begin = begin * 16 + digit);
      } else if (part == Part::kEnd) {
        c == ' ' ? void(part = Part::kModes) : void(end = end * 16 + digit);
      } else if (part == Part::kModes) {
        shared = shared || (c == 's' && address >= begin && address < end);
        if (c == ' ') part = Part::kRest;
      }
    }
  }
  raw_syscall(SYS_close, file);
  return shared;
}

void settle_stand_ins() {
  for (std::uint32_t i = 0; i < waiting.count; ++i) settle(waiting.pid[i]);
}

int await_change(Execution& e, const SharedCall& call, const void* before, std::uint64_t deadline) {
  const Change change{call.object, before, call.bytes};
  const sched::BlockingCall waits{call.name, -1, nullptr, 0, has_changed, reinterpret_cast<long>(&change),
                                  true};
  switch (e.await_outside(waits, deadline)) {
    case Awaited::kTimedOut:
      return ETIMEDOUT;
    case Awaited::kInterrupted:
      return EINTR;
    case Awaited::kReady:
      break;
  }
  return 0;
}

int stand_in(Execution& e, const SharedCall& call, std::uint64_t deadline, BlockingFunction* function,
             void* argument) {
  e.visible(
      {EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, reinterpret_cast<Address>(call.object), call.pc});
  e.release(sync_of(e, call));
  e.kernel_changes(SYS_clone);
  const long parent = raw_syscall(SYS_getpid);
  // Without a signal at its end: it is no child that the program could wait for.
  const auto pid = static_cast<pid_t>(raw_syscall(SYS_clone, 0, 0, 0, 0, 0));
  if (pid == 0) be_stand_in(parent, function, argument);
  if (pid < 0) return EAGAIN;
  waiting.pid[waiting.count++] = pid;
  settle_stand_ins();
  e.io_happened();
  int result = -1;
  for (;;) {
    const sched::BlockingCall waits{call.name, -1, nullptr, 0, stand_in_has_ended, pid, true};
    const Awaited awaited = e.await_outside(waits, deadline);
    if (awaited == Awaited::kInterrupted && !e.self().cancel_broke_wait) continue;
    if (awaited == Awaited::kReady) {
      result = reap(pid);
      break;
    }
    // In real time the stand-in's own timeout comes at about the same moment.
    for (int tries = 0; awaited == Awaited::kTimedOut && e.has_children() && tries < 100 && !has_ended(pid);
         ++tries) {
      timespec pause{0, 1'000'000};
      raw_syscall(SYS_nanosleep, &pause, 0);
    }
    raw_syscall(SYS_kill, pid, SIGKILL);
    result = reap(pid);
    if (result < 0) result = awaited == Awaited::kTimedOut ? -ETIMEDOUT : -EINTR;
    break;
  }
  e.acquire(sync_of(e, call));
  end_shared_call(e, call, result);
  return result;
}

}  // namespace heddle::abi
