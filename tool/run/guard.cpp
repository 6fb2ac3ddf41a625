#include "tool/run/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "tool/run/descendants.h"

namespace heddle::run {
namespace {

struct FileId {
  dev_t device = 0;
  ino_t inode = 0;  // 0: heddle ends in order, and leaves nothing
  friend auto operator<=>(const FileId&, const FileId&) = default;
};

using Files = std::set<FileId>;

bool holds_any(const std::string& process, const Files& files) {
  const std::string folder = "/proc/" + process + "/fd";
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return false;
  bool found = false;
  while (const dirent* entry = found ? nullptr : readdir(entries)) {
    struct stat about = {};
    found = fstatat(dirfd(entries), entry->d_name, &about, 0) == 0 &&
            files.contains({about.st_dev, about.st_ino});
  }
  closedir(entries);
  return found;
}

// False: there was none.
bool kill_holders(const Files& files) {
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return false;
  bool any = false;
  while (const dirent* entry = readdir(processes)) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 0 || pid == getpid() || !holds_any(entry->d_name, files)) continue;
    any = kill(pid, SIGKILL) == 0 || any;
  }
  closedir(processes);
  return any;
}

[[noreturn]] void watch(int pipe) {
  // Nothing of heddle's is to be kept open by this process: who reads its output waits for the end.
  if (pipe != 0) dup2(pipe, 0);
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
    if (file.inode == 0) _exit(0);
    files.insert(file);
  }
  // What is being started while we look shows in the next round.
  constexpr int kMostRounds = 100;
  for (int round = 0; round < kMostRounds && kill_holders(files); ++round) usleep(2000);
  _exit(0);
}

// One for the process. Lives until it ends, and tells the guard so.
class Guard {
 public:
  ~Guard() { tell({}); }
  void add(int file) {
    const std::lock_guard lock(mutex_);
    if (!is_started_) start();
    struct stat about = {};
    if (fstat(file, &about) == 0) tell({about.st_dev, about.st_ino});
  }

 private:
  void start() {
    is_started_ = true;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t pid = fork_child();
    if (pid == 0) {
      close(ends[1]);
      watch(ends[0]);
    }
    close(ends[0]);
    if (pid > 0) {
      pipe_ = ends[1];
    } else {
      close(ends[1]);
    }
  }
  void tell(FileId file) const {
    while (pipe_ >= 0 && write(pipe_, &file, sizeof file) < 0 && errno == EINTR) {
    }
  }

  std::mutex mutex_;
  bool is_started_ = false;
  int pipe_ = -1;
};

}  // namespace

void guard_output(int file) {
  static Guard guard;
  guard.add(file);
}

}  // namespace heddle::run
