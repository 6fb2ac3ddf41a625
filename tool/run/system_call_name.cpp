#include "tool/run/system_call_name.h"

#include <sys/syscall.h>

namespace heddle::run {

std::string system_call_name(long number) {
  struct Name {
    long number;
    const char* name;
  };
  static constexpr Name kNames[] = {{SYS_accept, "accept"},
                                    {SYS_brk, "brk"},
                                    {SYS_clock_nanosleep, "clock_nanosleep"},
                                    {SYS_clone, "clone"},
                                    {SYS_clone3, "clone"},
                                    {SYS_close, "close"},
                                    {SYS_connect, "connect"},
                                    {SYS_epoll_wait, "epoll_wait"},
                                    {SYS_eventfd2, "eventfd2"},
                                    {SYS_exit_group, "exit_group"},
                                    {SYS_flock, "flock"},
                                    {SYS_fork, "fork"},
                                    {SYS_futex, "futex"},
                                    {SYS_madvise, "madvise"},
                                    {SYS_memfd_create, "memfd_create"},
                                    {SYS_mmap, "mmap"},
                                    {SYS_mprotect, "mprotect"},
                                    {SYS_munmap, "munmap"},
                                    {SYS_nanosleep, "nanosleep"},
                                    {SYS_openat, "openat"},
                                    {SYS_pipe2, "pipe2"},
                                    {SYS_poll, "poll"},
                                    {SYS_ppoll, "ppoll"},
                                    {SYS_read, "read"},
                                    {SYS_recvfrom, "recvfrom"},
                                    {SYS_rt_sigaction, "rt_sigaction"},
                                    {SYS_sendto, "sendto"},
                                    {SYS_socket, "socket"},
                                    {SYS_tgkill, "tgkill"},
                                    {SYS_vfork, "fork"},
                                    {SYS_wait4, "wait4"},
                                    {SYS_write, "write"}};
  for (const Name& known : kNames) {
    if (known.number == number) return known.name;
  }
  return "number " + std::to_string(number);
}

}  // namespace heddle::run
