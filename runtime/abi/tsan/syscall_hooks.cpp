// What a program calls around a system call that it makes by itself, by <sanitizer/linux_syscall_hooks.h>. That
// header names the calls. ThreadSanitizer learns there what the kernel reads and writes. Here syscall() is seen
// itself, so nothing is left to tell; a program that was built for ThreadSanitizer links and runs.
#include "runtime/abi/engine_access.h"

// The parameters are the call's own, as long; none is looked at.
#define HOOK(call)                                            \
  HEDDLE_EXPORT void __sanitizer_syscall_pre_impl_##call() {} \
  HEDDLE_EXPORT void __sanitizer_syscall_post_impl_##call() {}

// clang-format off
HOOK(accept) HOOK(accept4) HOOK(access) HOOK(acct) HOOK(add_key) HOOK(adjtimex) HOOK(alarm) HOOK(bdflush) HOOK(bind)
HOOK(brk) HOOK(capget) HOOK(capset) HOOK(chdir) HOOK(chmod) HOOK(chown) HOOK(chown16) HOOK(chroot)
HOOK(clock_adjtime) HOOK(clock_getres) HOOK(clock_gettime) HOOK(clock_nanosleep) HOOK(clock_settime) HOOK(close)
HOOK(connect) HOOK(creat) HOOK(delete_module) HOOK(dup) HOOK(dup2) HOOK(dup3) HOOK(epoll_create) HOOK(epoll_create1)
HOOK(epoll_ctl) HOOK(epoll_pwait) HOOK(epoll_pwait2) HOOK(epoll_wait) HOOK(eventfd) HOOK(eventfd2) HOOK(exit)
HOOK(exit_group) HOOK(faccessat) HOOK(fanotify_init) HOOK(fanotify_mark) HOOK(fchdir) HOOK(fchmod) HOOK(fchmodat)
HOOK(fchown) HOOK(fchown16) HOOK(fchownat) HOOK(fcntl) HOOK(fcntl64) HOOK(fdatasync) HOOK(fgetxattr)
HOOK(flistxattr) HOOK(flock) HOOK(fork) HOOK(fremovexattr) HOOK(fsetxattr) HOOK(fstat) HOOK(fstat64) HOOK(fstatat64)
HOOK(fstatfs) HOOK(fstatfs64) HOOK(fsync) HOOK(ftruncate) HOOK(futex) HOOK(futimesat) HOOK(get_mempolicy)
HOOK(get_robust_list) HOOK(getcpu) HOOK(getcwd) HOOK(getdents) HOOK(getdents64) HOOK(getegid) HOOK(getegid16)
HOOK(geteuid) HOOK(geteuid16) HOOK(getgid) HOOK(getgid16) HOOK(getgroups) HOOK(getgroups16) HOOK(gethostname)
HOOK(getitimer) HOOK(getpeername) HOOK(getpgid) HOOK(getpgrp) HOOK(getpid) HOOK(getppid) HOOK(getpriority)
HOOK(getresgid) HOOK(getresgid16) HOOK(getresuid) HOOK(getresuid16) HOOK(getrlimit) HOOK(getrusage) HOOK(getsid)
HOOK(getsockname) HOOK(getsockopt) HOOK(gettid) HOOK(gettimeofday) HOOK(getuid) HOOK(getuid16) HOOK(getxattr)
HOOK(init_module) HOOK(inotify_add_watch) HOOK(inotify_init) HOOK(inotify_init1) HOOK(inotify_rm_watch)
HOOK(io_cancel) HOOK(io_destroy) HOOK(io_getevents) HOOK(io_setup) HOOK(io_submit) HOOK(ioctl) HOOK(ioperm)
HOOK(ioprio_get) HOOK(ioprio_set) HOOK(ipc) HOOK(kexec_load) HOOK(keyctl) HOOK(kill) HOOK(lchown) HOOK(lchown16)
HOOK(lgetxattr) HOOK(link) HOOK(linkat) HOOK(listen) HOOK(listxattr) HOOK(llistxattr) HOOK(llseek)
HOOK(lookup_dcookie) HOOK(lremovexattr) HOOK(lseek) HOOK(lsetxattr) HOOK(lstat) HOOK(lstat64) HOOK(madvise)
HOOK(mbind) HOOK(migrate_pages) HOOK(mincore) HOOK(mkdir) HOOK(mkdirat) HOOK(mknod) HOOK(mknodat) HOOK(mlock)
HOOK(mlockall) HOOK(mmap_pgoff) HOOK(mount) HOOK(move_pages) HOOK(mprotect) HOOK(mq_getsetattr) HOOK(mq_notify)
HOOK(mq_open) HOOK(mq_timedreceive) HOOK(mq_timedsend) HOOK(mq_unlink) HOOK(mremap) HOOK(msgctl) HOOK(msgget)
HOOK(msgrcv) HOOK(msgsnd) HOOK(msync) HOOK(munlock) HOOK(munlockall) HOOK(munmap) HOOK(name_to_handle_at)
HOOK(nanosleep) HOOK(newfstat) HOOK(newfstatat) HOOK(newlstat) HOOK(newstat) HOOK(newuname) HOOK(ni_syscall)
HOOK(nice) HOOK(old_getrlimit) HOOK(old_mmap) HOOK(old_readdir) HOOK(old_select) HOOK(oldumount) HOOK(olduname)
HOOK(open) HOOK(open_by_handle_at) HOOK(openat) HOOK(pause) HOOK(pciconfig_iobase) HOOK(pciconfig_read)
HOOK(pciconfig_write) HOOK(perf_event_open) HOOK(personality) HOOK(pipe) HOOK(pipe2) HOOK(pivot_root) HOOK(poll)
HOOK(ppoll) HOOK(pread64) HOOK(preadv) HOOK(prlimit64) HOOK(process_vm_readv) HOOK(process_vm_writev) HOOK(pselect6)
HOOK(ptrace) HOOK(pwrite64) HOOK(pwritev) HOOK(quotactl) HOOK(read) HOOK(readlink) HOOK(readlinkat) HOOK(readv)
HOOK(reboot) HOOK(recv) HOOK(recvfrom) HOOK(recvmmsg) HOOK(recvmsg) HOOK(remap_file_pages) HOOK(removexattr)
HOOK(rename) HOOK(renameat) HOOK(request_key) HOOK(restart_syscall) HOOK(rmdir) HOOK(rt_sigaction)
HOOK(rt_sigpending) HOOK(rt_sigprocmask) HOOK(rt_sigqueueinfo) HOOK(rt_sigtimedwait) HOOK(rt_tgsigqueueinfo)
HOOK(sched_get_priority_max) HOOK(sched_get_priority_min) HOOK(sched_getaffinity) HOOK(sched_getparam)
HOOK(sched_getscheduler) HOOK(sched_rr_get_interval) HOOK(sched_setaffinity) HOOK(sched_setparam)
HOOK(sched_setscheduler) HOOK(sched_yield) HOOK(select) HOOK(semctl) HOOK(semget) HOOK(semop) HOOK(semtimedop)
HOOK(send) HOOK(sendfile) HOOK(sendfile64) HOOK(sendmmsg) HOOK(sendmsg) HOOK(sendto) HOOK(set_mempolicy)
HOOK(set_robust_list) HOOK(set_tid_address) HOOK(setdomainname) HOOK(setfsgid) HOOK(setfsgid16) HOOK(setfsuid)
HOOK(setfsuid16) HOOK(setgid) HOOK(setgid16) HOOK(setgroups) HOOK(setgroups16) HOOK(sethostname) HOOK(setitimer)
HOOK(setns) HOOK(setpgid) HOOK(setpriority) HOOK(setregid) HOOK(setregid16) HOOK(setresgid) HOOK(setresgid16)
HOOK(setresuid) HOOK(setresuid16) HOOK(setreuid) HOOK(setreuid16) HOOK(setrlimit) HOOK(setsid) HOOK(setsockopt)
HOOK(settimeofday) HOOK(setuid) HOOK(setuid16) HOOK(setxattr) HOOK(sgetmask) HOOK(shmat) HOOK(shmctl) HOOK(shmdt)
HOOK(shmget) HOOK(shutdown) HOOK(sigaction) HOOK(sigaltstack) HOOK(signal) HOOK(signalfd) HOOK(signalfd4)
HOOK(sigpending) HOOK(sigprocmask) HOOK(socket) HOOK(socketcall) HOOK(socketpair) HOOK(splice) HOOK(spu_create)
HOOK(spu_run) HOOK(ssetmask) HOOK(stat) HOOK(stat64) HOOK(statfs) HOOK(statfs64) HOOK(stime) HOOK(swapoff)
HOOK(swapon) HOOK(symlink) HOOK(symlinkat) HOOK(sync) HOOK(syncfs) HOOK(sysctl) HOOK(sysfs) HOOK(sysinfo)
HOOK(syslog) HOOK(tee) HOOK(tgkill) HOOK(time) HOOK(timer_create) HOOK(timer_delete) HOOK(timer_getoverrun)
HOOK(timer_gettime) HOOK(timer_settime) HOOK(timerfd_create) HOOK(timerfd_gettime) HOOK(timerfd_settime) HOOK(times)
HOOK(tkill) HOOK(truncate) HOOK(umask) HOOK(umount) HOOK(uname) HOOK(unlink) HOOK(unlinkat) HOOK(unshare)
HOOK(uselib) HOOK(ustat) HOOK(utime) HOOK(utimensat) HOOK(utimes) HOOK(vfork) HOOK(vhangup) HOOK(vmsplice)
HOOK(wait4) HOOK(waitid) HOOK(waitpid) HOOK(write) HOOK(writev)
// clang-format on
#undef HOOK
