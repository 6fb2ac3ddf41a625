// Can anybody outside the program still do something for its waiting threads? Asked only when no thread can
// run, or threads spin. So it may take its time and ask the kernel about every descriptor.
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/base/raw_syscall.h"
#include "core/base/small_file.h"
#include "core/base/text_buffer.h"
#include "runtime/engine/outside_world.h"

namespace heddle::engine {

using sched::BlockingCall;
using sched::Thread;
using sched::WaitKind;

namespace {

// Visits the descriptors of this process until `visit` answers true; answers whether it did.
template <typename Visit>
bool any_descriptor(Visit visit) {
  const long directory =
      raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return false;
  alignas(8) char entries[4096];
  bool found = false;
  for (long bytes; !found && (bytes = raw_syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < bytes && !found;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      int descriptor = 0;
      const char* digit = entry->d_name;
      for (; *digit >= '0' && *digit <= '9'; ++digit) descriptor = descriptor * 10 + (*digit - '0');
      if (digit != entry->d_name && descriptor != directory) found = visit(descriptor);
    }
  }
  raw_syscall(SYS_close, directory);
  return found;
}

// Is there a child process that has not ended?
bool has_living_child() {
  siginfo_t info{};
  if (raw_syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, 0) < 0) return false;
  if (info.si_pid == 0) return true;
  // Some have ended and were not waited for: look at each.
  char children[4096];
  TextBuffer<64> path;
  path << "/proc/self/task/";
  path.decimal(raw_syscall(SYS_gettid)) << "/children";
  if (read_small_file(path.c_str(), children, sizeof children) == 0) return false;
  for (const char* at = children; *at != '\0';) {
    long pid = 0;
    while (*at >= '0' && *at <= '9') pid = pid * 10 + (*at++ - '0');
    while (*at == ' ') ++at;
    if (pid == 0) return false;
    info = {};
    if (raw_syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT, 0) == 0 && info.si_pid == 0)
      return true;
  }
  return false;
}

// Does this process hold the end of the pipe that would end the wait?
bool holds_other_end(int descriptor, const struct stat& status) {
  const long own = raw_syscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_ACCMODE;
  return any_descriptor([&](int i) {
    struct stat other{};
    if (raw_syscall(SYS_fstat, i, &other) != 0) return false;
    if (other.st_ino != status.st_ino || other.st_dev != status.st_dev) return false;
    const long mode = raw_syscall(SYS_fcntl, i, F_GETFL, 0) & O_ACCMODE;
    return mode == O_RDWR || mode != own;
  });
}

bool same_address(const sockaddr_storage& a, const sockaddr_storage& b) {
  if (a.ss_family != b.ss_family) return false;
  const std::size_t bytes = a.ss_family == AF_INET ? 8 : a.ss_family == AF_INET6 ? 24 : sizeof a;
  return memcmp(&a, &b, bytes) == 0;
}

bool socket_name(long call, int descriptor, sockaddr_storage& name) {
  name = {};
  socklen_t length = sizeof name;
  return raw_syscall(call, descriptor, &name, &length) == 0;
}

template <typename T>
T socket_option(int descriptor, int option, T fallback) {
  T value{};
  socklen_t length = sizeof value;
  return raw_syscall(SYS_getsockopt, descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : fallback;
}

// Is the peer of a connected socket in this process?
bool peer_is_inside(int descriptor, const sockaddr_storage& peer) {
  if (peer.ss_family == AF_UNIX) {
    return socket_option(descriptor, SO_PEERCRED, ucred{}).pid == raw_syscall(SYS_getpid);
  }
  sockaddr_storage own;
  if (!socket_name(SYS_getsockname, descriptor, own)) return false;
  return any_descriptor([&](int i) {
    sockaddr_storage name;
    sockaddr_storage others_peer;
    return i != descriptor && socket_name(SYS_getsockname, i, name) && same_address(name, peer) &&
           socket_name(SYS_getpeername, i, others_peer) && same_address(others_peer, own);
  });
}

enum class Side { kInside, kIdle, kOutside };

Side side_of_socket(int descriptor) {
  if (socket_option(descriptor, SO_ACCEPTCONN, 0) != 0) return Side::kIdle;
  sockaddr_storage peer;
  if (!socket_name(SYS_getpeername, descriptor, peer)) return Side::kIdle;
  return peer_is_inside(descriptor, peer) ? Side::kInside : Side::kOutside;
}

Side side_of(int descriptor);

// The members of an epoll set are in /proc: "tfd:        5 events: …".
Side side_of_epoll(int descriptor) {
  TextBuffer<64> path;
  path << "/proc/self/fdinfo/";
  path.decimal(descriptor);
  char text[8192];
  read_small_file(path.c_str(), text, sizeof text);
  Side best = Side::kInside;
  for (const char* at = text; *at != '\0'; ++at) {
    if (memcmp(at, "tfd:", 4) != 0) continue;
    at += 4;
    while (*at == ' ' || *at == '\t') ++at;
    int member = 0;
    while (*at >= '0' && *at <= '9') member = member * 10 + (*at++ - '0');
    if (member == descriptor) continue;
    const Side side = side_of(member);
    if (side > best) best = side;
    if (*at == '\0') break;
  }
  return best;
}

Side side_of(int descriptor) {
  struct stat status{};
  if (descriptor < 0 || raw_syscall(SYS_fstat, descriptor, &status) != 0) return Side::kInside;
  if (S_ISFIFO(status.st_mode)) return holds_other_end(descriptor, status) ? Side::kInside : Side::kOutside;
  if (S_ISSOCK(status.st_mode)) return side_of_socket(descriptor);
  TextBuffer<64> path;
  path << "/proc/self/fd/";
  path.decimal(descriptor);
  char target[64] = {};
  raw_syscall(SYS_readlinkat, AT_FDCWD, path.c_str(), target, sizeof target - 1);
  if (memcmp(target, "anon_inode:[eventpoll]", 22) == 0) return side_of_epoll(descriptor);
  if (memcmp(target, "anon_inode:[eventfd]", 20) == 0) return Side::kInside;
  return Side::kIdle;  // a terminal, inotify, a device
}

// Is this address in a mapping that other processes may have, too? `had_children`: without any, shared memory
// without a name (/dev/zero, to the kernel) is shared with nobody.
bool is_shared(Address address, bool had_children) {
  const long maps = raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  char text[4096];
  char line[128];
  std::size_t length = 0;
  bool found = false;
  const auto is_it = [&] {
    // "begin-end rw-s offset device inode path"
    Address bounds[2] = {};
    const char* at = line;
    for (Address& bound : bounds) {
      for (; *at != '-' && *at != ' ' && *at != '\0'; ++at)
        bound = bound * 16 + static_cast<Address>(*at <= '9' ? *at - '0' : *at - 'a' + 10);
      if (*at != '\0') ++at;
    }
    if (address < bounds[0] || address >= bounds[1] || strlen(at) < 4 || at[3] != 's') return false;
    while (*at != '/' && *at != '\0') ++at;
    return had_children || strlen(at) < 9 || memcmp(at, "/dev/zero", 9) != 0;
  };
  for (long bytes; !found && (bytes = raw_syscall(SYS_read, maps, text, sizeof text)) > 0;) {
    for (long i = 0; i < bytes && !found; ++i) {
      if (text[i] != '\n') {
        if (length + 1 < sizeof line) line[length++] = text[i];
        continue;
      }
      line[length] = '\0';
      length = 0;
      found = is_it();
    }
  }
  raw_syscall(SYS_close, maps);
  return found;
}

}  // namespace

bool OutsideWorld::wait_for_sharers(std::span<const ThreadId> spinning) const {
  bool shares = false;
  for (const ThreadId id : spinning)
    shares = shares || is_shared(scheduler_.thread(id).spin.address, had_children_);
  if (!shares) return false;
  constexpr timespec kPause{0, 20'000'000};
  raw_syscall(SYS_nanosleep, &kPause, 0);
  return true;
}

OutsideWorld::Outlook OutsideWorld::outlook(OutsideHost& host, bool spinning) const {
  bool waits = spinning;
  Side best = Side::kInside;
  scheduler_.for_each_blocked([&](Thread& t) {
    // A signal may come from anywhere; the one that libc keeps for timers does not.
    constexpr sched::SignalSet kOfTimers = sched::set_of(33);
    if (t.wait == WaitKind::kPause && t.awaited_signals != kOfTimers) {
      waits = true;
      if (t.deadline == sched::kNoDeadline && best < Side::kIdle) best = Side::kIdle;
    }
    if (t.wait != WaitKind::kOutside) return;
    waits = true;
    const BlockingCall& call = *t.blocking_call;
    if (call.ready != nullptr && !call.needs_children && best < Side::kIdle) best = Side::kIdle;
    for (std::uint32_t i = 0; i < call.polled_count; ++i) {
      const Side side = side_of(call.polled[i].fd);
      if (side > best) best = side;
    }
  });
  // The handler of a child's end may wake whoever waits for something inside.
  waits = waits || host.handles_signal(SIGCHLD);
  if (!waits) return Outlook::kNothing;
  if (has_living_child()) return Outlook::kAlive;
  switch (best) {
    case Side::kInside:
      return Outlook::kNothing;
    case Side::kIdle:
      return Outlook::kIdle;
    case Side::kOutside:
      return Outlook::kAlive;
  }
  return Outlook::kNothing;
}

}  // namespace heddle::engine
