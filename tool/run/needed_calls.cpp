#include "tool/run/needed_calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/raw_syscall.h"
#include "tool/run/limits.h"

namespace heddle::run {
namespace {

constexpr int kNoFile = -1;
constexpr long kGetFsBase = 0x1003;  // ARCH_GET_FS

struct NeededCall {
  const char* name;
  CallNeed need;
  long (*attempt)();  // the kernel's answer; changes nothing
};

struct stat unused_status;
char unused_bytes[8];

// In the order of their names.
constexpr NeededCall kNeeded[] = {
    {"access", CallNeed::kPrograms, [] { return raw_syscall(SYS_access, "/", F_OK); }},
    {"arch_prctl", CallNeed::kPrograms, [] { return raw_syscall(SYS_arch_prctl, kGetFsBase, unused_bytes); }},
    {"brk", CallNeed::kFiles, [] { return raw_syscall(SYS_brk, 0); }},
    {"chdir", CallNeed::kPrograms, [] { return raw_syscall(SYS_chdir, nullptr); }},
    // Both thread and process of its own: EINVAL.
    {"clone", CallNeed::kPrograms, [] { return raw_syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0); }},
    {"close", CallNeed::kFiles, [] { return raw_syscall(SYS_close, kNoFile); }},
    {"dup2", CallNeed::kPrograms, [] { return raw_syscall(SYS_dup2, kNoFile, kNoFile); }},
    {"execve", CallNeed::kPrograms, [] { return raw_syscall(SYS_execve, nullptr, nullptr, nullptr); }},
    {"fcntl", CallNeed::kFiles, [] { return raw_syscall(SYS_fcntl, kNoFile, F_GETFD); }},
    {"fstat", CallNeed::kPrograms, [] { return raw_syscall(SYS_fstat, kNoFile, &unused_status); }},
    {"ftruncate", CallNeed::kPrograms, [] { return raw_syscall(SYS_ftruncate, kNoFile, 0); }},
    {"futex", CallNeed::kFiles, [] { return raw_syscall(SYS_futex, nullptr, FUTEX_WAKE, 0); }},
    {"getpid", CallNeed::kPrograms, [] { return raw_syscall(SYS_getpid); }},
    {"getppid", CallNeed::kPrograms, [] { return raw_syscall(SYS_getppid); }},
    {"gettid", CallNeed::kPrograms, [] { return raw_syscall(SYS_gettid); }},
    {"kill", CallNeed::kPrograms, [] { return raw_syscall(SYS_kill, raw_syscall(SYS_getpid), 0); }},
    {"lseek", CallNeed::kFiles, [] { return raw_syscall(SYS_lseek, kNoFile, 0, SEEK_CUR); }},
    {"mmap", CallNeed::kFiles,
     [] { return raw_syscall(SYS_mmap, 0, 0, PROT_NONE, MAP_PRIVATE, kNoFile, 0); }},
    {"mprotect", CallNeed::kPrograms, [] { return raw_syscall(SYS_mprotect, 1, 0, PROT_NONE); }},
    {"munmap", CallNeed::kFiles, [] { return raw_syscall(SYS_munmap, 1, 0); }},
    {"newfstatat", CallNeed::kFiles,
     [] { return raw_syscall(SYS_newfstatat, kNoFile, "", &unused_status, AT_EMPTY_PATH); }},
    {"openat", CallNeed::kFiles, [] { return raw_syscall(SYS_openat, kNoFile, "", O_RDONLY, 0); }},
    {"pipe2", CallNeed::kPrograms, [] { return raw_syscall(SYS_pipe2, nullptr, ~0); }},
    {"pread64", CallNeed::kFiles, [] { return raw_syscall(SYS_pread64, kNoFile, unused_bytes, 1, 0); }},
    {"read", CallNeed::kFiles, [] { return raw_syscall(SYS_read, kNoFile, unused_bytes, 1); }},
    {"readlink", CallNeed::kFiles, [] { return raw_syscall(SYS_readlink, nullptr, unused_bytes, 1); }},
    {"rt_sigaction", CallNeed::kPrograms,
     [] { return raw_syscall(SYS_rt_sigaction, 0, nullptr, nullptr, 8); }},
    {"rt_sigprocmask", CallNeed::kPrograms,
     [] { return raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, nullptr, 8); }},
    {"wait4", CallNeed::kPrograms, [] { return raw_syscall(SYS_wait4, -1, nullptr, ~0, nullptr); }},
    {"waitid", CallNeed::kPrograms, [] { return raw_syscall(SYS_waitid, P_ALL, 0, nullptr, 0, nullptr); }},
    {"write", CallNeed::kFiles, [] { return raw_syscall(SYS_write, kNoFile, unused_bytes, 1); }},
};

bool is_denial(long answer) { return answer == -EPERM || answer == -ENOSYS || answer == -EACCES; }

Error denied(const char* name, long answer) {
  return {"heddle cannot do without " + why_refused(name, static_cast<int>(-answer)), ExitCode::kBadInput};
}

// Calls that end what makes them can be tried in a process of their own only. It is ended by SIGSEGV where no
// handler of a signal can return, and by SIGILL where it cannot end itself.
Status check_end(const char* name, long number) {
  const pid_t pid = fork();
  if (pid < 0) return Error{"Cannot start a process: " + why_refused("clone", errno), ExitCode::kBadInput};
  if (pid == 0) {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, nullptr);
    for (const int fatal : {SIGSEGV, SIGILL}) signal(fatal, SIG_DFL);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);  // no core file
    raw_syscall(SYS_kill, raw_syscall(SYS_getpid), SIGUSR1);
    raw_syscall(number, 0);
    __builtin_trap();
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) return denied("rt_sigreturn", -EPERM);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL) return denied(name, -EPERM);
  return Done{};
}

}  // namespace

Status check_needed_calls(CallNeed need) {
  static bool has_all = false;
  if (has_all) return Done{};
  for (const NeededCall& call : kNeeded) {
    if (call.need == CallNeed::kPrograms && need == CallNeed::kFiles) continue;
    if (const long answer = call.attempt(); is_denial(answer)) return denied(call.name, answer);
  }
  if (need == CallNeed::kFiles) return Done{};
  // Where there is no clone3 libc takes clone; where it is denied otherwise libc makes no thread.
  if (const long answer = raw_syscall(SYS_clone3, nullptr, 0); is_denial(answer) && answer != -ENOSYS)
    return denied("clone3", answer);
  if (auto ends = check_end("exit_group", SYS_exit_group); !ends) return ends;
  if (auto ends = check_end("exit", SYS_exit); !ends) return ends;
  has_all = true;
  return Done{};
}

}  // namespace heddle::run
