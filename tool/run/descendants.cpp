#include "tool/run/descendants.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <vector>

namespace heddle::run {
namespace {

// One for the process: the kernel knows one set of children, too.
struct Family {
  std::mutex mutex;
  std::set<pid_t> own;  // not to be ended here
  bool is_reaper = false;
};

Family& family() {
  static Family the_family;
  return the_family;
}

// Empty as well where /proc cannot be read: then orphans are left to init.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream file(task.path() / "children");
    for (pid_t pid = 0; file >> pid;) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> orphans_of(const Family& all) {
  std::vector<pid_t> found = children();
  std::erase_if(found, [&](pid_t pid) { return all.own.contains(pid); });
  return found;
}

template <typename Fork>
pid_t fork_by(const Fork& fork_one) {
  Family& all = family();
  const std::lock_guard lock(all.mutex);
  if (!all.is_reaper) {
    // A shell that became heddle by exec has left its own children with it.
    for (const pid_t pid : children()) all.own.insert(pid);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    all.is_reaper = true;
  }
  const pid_t pid = fork_one();
  if (pid > 0) all.own.insert(pid);
  return pid;
}

}  // namespace

pid_t fork_child() {
  return fork_by([] { return fork(); });
}

pid_t fork_unseen_child() {
  // Without a signal for its end among the flags: clone(2), "the exit signal".
  return fork_by([] { return static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, 0)); });
}

void forget_child(pid_t pid) {
  Family& all = family();
  const std::lock_guard lock(all.mutex);
  all.own.erase(pid);
}

bool await_orphan(rusage& usage) {
  std::vector<pid_t> left;
  {
    Family& all = family();
    const std::lock_guard lock(all.mutex);
    left = orphans_of(all);
  }
  return !left.empty() && wait4(left.front(), nullptr, 0, &usage) > 0;
}

void end_orphans() {
  Family& all = family();
  const std::lock_guard lock(all.mutex);
  for (bool any = true; any;) {
    any = false;
    for (const pid_t pid : orphans_of(all)) {
      any = true;
      kill(pid, SIGKILL);
      while (waitpid(pid, nullptr, __WALL) < 0) {
        if (errno == EINTR) continue;
        if (errno == ECHILD) any = false;  // somebody else has waited for it
        break;
      }
    }
  }
}

}  // namespace heddle::run
