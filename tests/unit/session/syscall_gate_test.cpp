// Which system calls leave a trace that no reset of memory undoes.
#include "runtime/session/syscall_gate.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>

namespace heddle::session {
namespace {

bool is_harmless(long number, long first = 0, long second = 0) {
  const long arguments[6] = {first, second, 0, 0, 0, 0};
  return SyscallGate::harmless(number, arguments);
}

TEST(SyscallGate, KnowsWhichStreamsAreSetBack) {
  for (const long call : {SYS_write, SYS_writev}) {
    EXPECT_FALSE(is_harmless(call, 0));
    EXPECT_TRUE(is_harmless(call, 1));
    EXPECT_TRUE(is_harmless(call, 2));
    EXPECT_FALSE(is_harmless(call, 3));
  }
  for (const long call : {SYS_read, SYS_lseek}) {
    EXPECT_TRUE(is_harmless(call, 0));
    EXPECT_FALSE(is_harmless(call, 1));
    EXPECT_FALSE(is_harmless(call, 3)) << "the position of another file stays where it is";
  }
}

TEST(SyscallGate, KnowsWhichFutexCallsOnlyWake) {
  EXPECT_TRUE(is_harmless(SYS_futex, 0, FUTEX_WAKE));
  EXPECT_TRUE(is_harmless(SYS_futex, 0, FUTEX_WAKE_PRIVATE));
  EXPECT_FALSE(is_harmless(SYS_futex, 0, FUTEX_WAIT_PRIVATE));
  EXPECT_FALSE(is_harmless(SYS_futex, 0, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME));
}

TEST(SyscallGate, TakesWhatItDoesNotKnowForHarmful) {
  for (const long call : {SYS_open, SYS_openat, SYS_close, SYS_dup2, SYS_mmap, SYS_munmap, SYS_brk, SYS_fork,
                          SYS_clone, SYS_rt_sigaction, SYS_prctl, SYS_chdir, SYS_socket, SYS_pipe2,
                          SYS_setitimer, SYS_exit_group, 100'000})
    EXPECT_FALSE(is_harmless(call)) << call;
  for (const long call : {SYS_getpid, SYS_clock_gettime, SYS_newfstatat, SYS_getrandom, SYS_sched_yield})
    EXPECT_TRUE(is_harmless(call)) << call;
}

TEST(SyscallGate, KeepsTheFirstReason) {
  SyscallGate gate;
  EXPECT_FALSE(gate.was_opened());
  gate.open(SYS_openat);
  gate.open(SYS_socket);
  EXPECT_TRUE(gate.was_opened());
  EXPECT_EQ(gate.reason(), SYS_openat);
}

TEST(SyscallGate, HearsOfCallsThatInterposersMake) {
  SyscallGate gate;
  const long to_output[6] = {1, 0, 0, 0, 0, 0};
  const long to_file[6] = {5, 0, 0, 0, 0, 0};
  program_makes_syscall(SYS_write, to_file);  // there is no gate
  set_syscall_gate(&gate);
  gate.forget_calls();
  program_makes_syscall(SYS_write, to_output);
  EXPECT_TRUE(gate.was_called());
  EXPECT_FALSE(gate.was_opened());
  gate.forget_calls();
  program_uses_file();
  EXPECT_TRUE(gate.was_called());
  EXPECT_FALSE(gate.was_opened());
  program_makes_syscall(SYS_write, to_file);
  EXPECT_TRUE(gate.was_opened());
  EXPECT_EQ(gate.reason(), SYS_write);
  set_syscall_gate(nullptr);
}

}  // namespace
}  // namespace heddle::session
