"""System calls that a seccomp filter denies, one by one, in heddle and in all that it starts.

The filter is put on by a library that is preloaded into heddle: so calls that heddle's own start needs can be denied, too.
`ALL` is what `strace -f` shows of heddle's commands and of programs under its runtime.
"""
import errno
import os
import subprocess

from commands import BAD_INPUT, BUG, INCONCLUSIVE, NO_BUG
from injection import Failure, Injection

FILTER = """
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
__attribute__((constructor)) static void deny(void) {
  const char *call = getenv("DENIED_CALL"), *error = getenv("DENIED_ERROR");
  if (call == NULL || error == NULL) return;
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  unsetenv("LD_PRELOAD");
  unsetenv("DENIED_CALL");
  unsetenv("DENIED_ERROR");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) abort();
}
"""

# Without these heddle says so, and does nothing. (clone3 that is not there, ENOSYS, does no harm: libc takes clone.)
NEEDED = {"access": 21, "arch_prctl": 158, "chdir": 80, "clone": 56, "clone3": 435, "close": 3, "dup2": 33, "execve": 59, "exit": 60,
          "fcntl": 72, "fstat": 5, "ftruncate": 77, "getpid": 39, "getppid": 110, "gettid": 186, "kill": 62,
          "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11, "newfstatat": 262, "openat": 257, "pipe2": 293, "pread64": 17,
          "read": 0, "readlink": 89, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "wait4": 61, "waitid": 247}

# Without these it does the same by other means, or goes without.
OPTIONAL = {"clock_gettime": 228, "clock_nanosleep": 230, "close_range": 436, "copy_file_range": 326, "fallocate": 285, "fchmod": 91,
            "fchown": 93, "flock": 73, "fsync": 74, "getcwd": 79, "getdents64": 217, "geteuid": 107, "getrandom": 318, "getrlimit": 97,
            "getrusage": 98, "ioctl": 16, "linkat": 265, "madvise": 28, "memfd_create": 319, "mkdir": 83, "mkdirat": 258,
            "nanosleep": 35, "pause": 34, "personality": 135, "pidfd_open": 434, "poll": 7, "ppoll": 271, "prctl": 157,
            "prlimit64": 302, "process_vm_readv": 310, "readlinkat": 267, "rename": 82, "restart_syscall": 219, "rseq": 334,
            "sched_getaffinity": 204, "sched_yield": 24, "set_robust_list": 273, "set_tid_address": 218, "setpgid": 109,
            "setsid": 112, "sigaltstack": 131, "socketpair": 53, "statx": 332, "sysinfo": 99, "tgkill": 234, "timer_create": 222,
            "timer_settime": 223, "uname": 63, "unlink": 87, "userfaultfd": 323}

# Nothing can be said without `write`; nothing can end without `exit_group`, heddle neither; libc dies without `brk` and `futex`.
SPEECHLESS = {"brk": 12, "exit_group": 231, "futex": 202, "write": 1}

# Without these heddle does not get, or does not find, what the program has left behind.
LEAVES_ORPHANS = {"prctl", "getdents64"}

ALL = {**NEEDED, **OPTIONAL, **SPEECHLESS}
ERRORS = {"EPERM": errno.EPERM, "ENOSYS": errno.ENOSYS, "EAGAIN": errno.EAGAIN}


def build_filter(folder):
    """The library; made once."""
    library = os.path.join(folder, "denials.so")
    if not os.path.exists(library):
        source = os.path.join(folder, "denials.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(FILTER)
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def environment(library, call, error):
    variables = {"LD_PRELOAD": library, "DENIED_CALL": str(ALL[call]), "DENIED_ERROR": str(ERRORS[error])}
    # The filter comes when libc has registered a process' first thread, and then libc insists on the others: it ends the
    # process. Where the call is denied from the start libc goes without, as it does here.
    if call == "rseq":
        variables["GLIBC_TUNABLES"] = "glibc.pthread.rseq=0"
    return variables


def found(text):
    """What a command says that it has found, whatever the numbers around it."""
    return {line for line in text.splitlines() if line.startswith("SUMMARY: ")}


class Denials:
    """Commands under denial, compared with the same commands without."""

    def __init__(self, workshop, folder):
        self.workshop, self.folder = workshop, folder
        self.library = build_filter(workshop.folder)
        self.usual = {}

    def run(self, command, folder, call=None, error=None):
        one = Injection(command, folder, self.workshop)
        one.start(environment=environment(self.library, call, error) if call else ())
        try:
            code = one.finish()
            if call not in LEAVES_ORPHANS:
                one.check_processes()
        finally:
            one.end()
        return code, one.errors(), one.output()

    def usually(self, command):
        """What it answers where nothing is denied."""
        if command.name not in self.usual:
            code, errors, _ = self.run(command, self.folder + "-usual-" + command.name)
            if code not in command.answers:
                raise Failure(f"{command.name}: exit code {code} though nothing is denied: {errors[-500:]}")
            self.usual[command.name] = found(errors)
        return self.usual[command.name]

    def denied(self, command, call, error, folder=None):
        """(exit code, standard error) where this call is denied. Raises Failure where that is no honest answer."""
        usual = self.usually(command)
        code, errors, output = self.run(command, folder or self.folder, call, error)
        try:
            self.judge(command, call, code, errors, output, usual)
        except Failure as failure:
            raise Failure(f"{command.name} where {call} is denied ({error}): {failure}: {errors.strip()[-400:]}") from None
        return code, errors

    def judge(self, command, call, code, errors, output, usual):
        if code < 0:
            if call not in SPEECHLESS:
                raise Failure(f"ended by signal {-code}")
            return
        if code in command.answers:
            if code == BUG and found(errors) != usual:
                raise Failure("another finding")
            return
        if code == NO_BUG:
            raise Failure("nothing found")
        if code == BUG:
            raise Failure("a finding that is none")
        if code not in (INCONCLUSIVE, BAD_INPUT) and call not in SPEECHLESS:
            raise Failure(f"exit code {code}")
        if call in SPEECHLESS:
            return
        # (What explain could not say, it says on standard output.)
        if "heddle: " not in errors and not (code == INCONCLUSIVE and output.strip()):
            raise Failure("no message")
        if call in NEEDED and code == BAD_INPUT and call not in errors:
            raise Failure("the call is not named")
