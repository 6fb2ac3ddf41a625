#include "tool/run/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "tool/run/descendants.h"

namespace heddle::run {
namespace {

struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileId&, const FileId&) = default;
};

// The guard is cloned past libc (fork_unseen_child()): what runs in it calls the kernel only, since a lock of
// libc's may have been held by another thread at that moment. So no memory from the heap, and no opendir().
class Files {
 public:
  void insert(FileId file) {
    if (contains(file) || (count_ == capacity_ && !grow())) return;
    entries_[count_++] = file;
  }
  bool contains(FileId file) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (entries_[i] == file) return true;
    }
    return false;
  }

 private:
  bool grow() {
    const std::size_t wanted = capacity_ == 0 ? 4096 / sizeof(FileId) : 2 * capacity_;
    void* memory =
        mmap(nullptr, wanted * sizeof(FileId), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    if (count_ != 0) std::memcpy(memory, entries_, count_ * sizeof(FileId));
    if (capacity_ != 0) munmap(entries_, capacity_ * sizeof(FileId));
    entries_ = static_cast<FileId*>(memory);
    capacity_ = wanted;
    return true;
  }

  FileId* entries_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

// True: `visit` has answered so for a name in the folder, and was not asked for the others.
template <typename Visit>
bool any_name(int folder, const Visit& visit) {
  alignas(dirent64) char buffer[4096];
  for (;;) {
    const ssize_t got = getdents64(folder, buffer, sizeof buffer);
    if (got <= 0) return false;
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      if (visit(entry->d_name)) return true;
      at += entry->d_reclen;
    }
  }
}

bool holds_any(int process, const Files& files) {
  const int folder = openat(process, "fd", O_RDONLY | O_DIRECTORY);
  if (folder < 0) return false;
  const bool found = any_name(folder, [&](const char* name) {
    struct stat about = {};
    return fstatat(folder, name, &about, 0) == 0 && files.contains({about.st_dev, about.st_ino});
  });
  close(folder);
  return found;
}

// 0: this is no name of a process.
pid_t pid_of(const char* name) {
  pid_t pid = 0;
  for (; *name >= '0' && *name <= '9'; ++name) pid = 10 * pid + (*name - '0');
  return *name == '\0' ? pid : 0;
}

// False: there was none.
bool kill_holders(const Files& files) {
  const int processes = open("/proc", O_RDONLY | O_DIRECTORY);
  if (processes < 0) return false;
  bool any = false;
  any_name(processes, [&](const char* name) {
    const pid_t pid = pid_of(name);
    if (pid <= 0 || pid == getpid()) return false;
    const int process = openat(processes, name, O_PATH | O_DIRECTORY);
    if (process < 0) return false;
    if (holds_any(process, files)) any = kill(pid, SIGKILL) == 0 || any;
    close(process);
    return false;
  });
  close(processes);
  return any;
}

[[noreturn]] void watch(int socket) {
  // Nothing of heddle's is to be kept open by this process: who reads its output waits for the end.
  if (socket != 0) dup2(socket, 0);
  syscall(SYS_close_range, 1u, ~0u, 0u);
  setsid();
  prctl(PR_SET_NAME, "heddle-guard", 0, 0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
  if (chdir("/") != 0) _exit(0);
  Files files;
  for (;;) {
    FileId file;
    const ssize_t got = read(0, &file, sizeof file);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof file) break;
    files.insert(file);
  }
  // What is being started while we look shows in one of the next rounds: a process that was killed in the
  // middle of clone() may still finish it, on a busy machine much later. A process that cannot be killed is
  // given up after ten seconds.
  constexpr int kMostRounds = 5000, kQuietRounds = 5;
  for (int round = 0, quiet = 0; round < kMostRounds && quiet < kQuietRounds; ++round) {
    quiet = kill_holders(files) ? 0 : quiet + 1;
    usleep(2000);
  }
  _exit(0);
}

// One for the process. Lives until it ends, and takes the guard with it then: nothing is left in that case.
class Guard {
 public:
  ~Guard() { end(); }
  void add(int file) {
    const std::lock_guard lock(mutex_);
    struct stat about = {};
    if (fstat(file, &about) != 0) return;
    const FileId id = {about.st_dev, about.st_ino};
    if (tell(id)) return;
    // The first time; or the guard was killed, or is the one of the process that forked this one.
    const pid_t dead = pid_;
    end();
    forget_child(dead);
    start();
    tell(id);
  }

 private:
  bool is_ours() const { return pid_ > 0 && owner_ == getpid(); }
  void start() {
    int ends[2];
    // No pipe: writing to one whose reader was killed raises a signal, and would wait for one that was
    // stopped.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    const timeval patience = {1, 0};
    setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const pid_t pid = fork_unseen_child();
    if (pid == 0) {
      close(ends[1]);
      watch(ends[0]);
    }
    close(ends[0]);
    if (pid > 0) {
      socket_ = ends[1];
      pid_ = pid;
      owner_ = getpid();
    } else {
      close(ends[1]);
    }
  }
  void end() {
    if (is_ours()) {
      kill(pid_, SIGKILL);  // asking it to end would wait for ever for one that was stopped
      while (waitpid(pid_, nullptr, __WALL) < 0 && errno == EINTR) {
      }
    }
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    pid_ = 0;
  }
  // False: nobody has heard it.
  bool tell(FileId file) const {
    if (!is_ours()) return false;
    ssize_t written = -1;
    while ((written = send(socket_, &file, sizeof file, MSG_NOSIGNAL)) < 0 && errno == EINTR) {
    }
    return written == sizeof file;
  }

  std::mutex mutex_;
  pid_t pid_ = 0;
  pid_t owner_ = 0;  // who started it; a copy of this process may have this object, too
  int socket_ = -1;
};

}  // namespace

void guard_output(int file) {
  static Guard guard;
  guard.add(file);
}

}  // namespace heddle::run
