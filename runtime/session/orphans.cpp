#include "runtime/session/orphans.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>

#include "core/base/raw_syscall.h"

namespace heddle::session {
namespace {

// False: there is no /proc to know them from.
bool kill_children() {
  const long file = raw_syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[4096];
  const long length = raw_syscall(SYS_read, file, text, sizeof text);
  raw_syscall(SYS_close, file);
  long pid = 0;
  for (long i = 0; i < length; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
    } else if (pid != 0) {
      raw_syscall(SYS_kill, pid, SIGKILL);
      pid = 0;
    }
  }
  return true;
}

}  // namespace

void end_orphans() {
  for (int rounds = 0; rounds < 1000; ++rounds) {
    const long reaped = raw_syscall(SYS_wait4, -1, 0, WNOHANG, 0);
    if (reaped == -ECHILD) return;
    if (reaped > 0) continue;
    if (!kill_children()) return;  // the tool ends them, when this process has died
    raw_syscall(SYS_wait4, -1, 0, 0, 0);
  }
}

}  // namespace heddle::session
