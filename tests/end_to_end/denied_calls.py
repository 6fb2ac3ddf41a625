"""System calls that a seccomp filter denies, as containers do: for a child, as the preexec_fn of subprocess."""
import ctypes
import errno
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
RETURN_ERROR, ALLOW = 0x00050000, 0x7FFF0000
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06

# The calls of x86-64 that heddle makes and could do without, or has to name.
NUMBERS = {"ptrace": 101, "personality": 135, "arch_prctl": 158, "pidfd_open": 434, "memfd_create": 319, "userfaultfd": 323,
           "clone3": 435, "process_vm_readv": 310, "perf_event_open": 298, "kcmp": 312, "mincore": 27, "setpgid": 109,
           "sched_setaffinity": 203, "setpriority": 141, "prlimit64": 302, "getrandom": 318, "close_range": 436, "rseq": 334,
           "copy_file_range": 326, "sendfile": 40, "fsync": 74, "flock": 73, "membarrier": 324, "name_to_handle_at": 303,
           "inotify_init1": 294, "timerfd_create": 283, "eventfd2": 290, "signalfd4": 289, "fallocate": 285, "statx": 332,
           "faccessat2": 439, "sched_getaffinity": 204, "madvise": 28, "sigaltstack": 131, "utimensat": 280, "fchmod": 91}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def _instruction(code, jump_true, jump_false, value):
    return struct.pack("<HBBI", code, jump_true, jump_false, value)


def denying(*calls, error=errno.EPERM):
    """A function that makes the kernel answer `error` to these calls, in this process and all that it will start."""
    code = _instruction(LOAD_WORD, 0, 0, 0)  # the call's number
    for call in calls:
        code += _instruction(JUMP_IF_EQUAL, 0, 1, NUMBERS[call]) + _instruction(RETURN, 0, 0, RETURN_ERROR | error)
    code += _instruction(RETURN, 0, 0, ALLOW)
    libc = ctypes.CDLL(None, use_errno=True)

    def deny():
        program = _Program(len(code) // 8, code)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
                libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")

    return deny
