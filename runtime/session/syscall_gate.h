// Which system calls the program makes, also from inside libraries that bypass every interposer (fopen's
// openat).
//
// Syscall User Dispatch (Linux 5.11) turns each system call from outside the runtime's own code into SIGSYS.
// Two ask:
//   the engine    a call that would block the one kernel thread (libgomp's futex, a FILE on a pipe) is
//   answered
//                 by parking the fiber (runtime/abi/libc/library_syscalls.cpp);
//   the session   an execution can be undone in process only where it left no trace in the kernel. The first
//                 call that is not on the list of harmless ones opens the gate: the next execution needs a
//                 new process.
// Everything else is carried out, and the program goes on. The kernel drops the dispatch for forked children
// and for other kernel threads.
#pragma once

#include <cstdint>

namespace heddle::session {

class SyscallGate {
 public:
  // In the process that is to run executions, before its first. False: the kernel does not have it.
  bool close();
  // The process cannot be reset any more. `number` is told to users as the reason.
  void open(long number);
  bool was_opened() const { return opened_; }
  long reason() const { return reason_; }

  // The program made a system call, or a function of ours made one for it. Where files stand and which
  // signals are blocked are as they were for as long as there was none.
  void note_call() { called_ = true; }
  bool was_called() const { return called_; }
  void forget_calls() { called_ = false; }

  // Would this call leave a trace?
  static bool harmless(long number, const long* arguments);

 private:
  volatile unsigned char selector_ = 0;  // read by the kernel
  bool opened_ = false;
  bool called_ = true;  // by an execution of another process
  long reason_ = -1;
};

// Answers a system call of code without instrumentation in the kernel's place: its result, a negative value
// being -errno. False: the kernel shall. Called on the stack of the program's thread, which may be switched.
using SyscallAnswer = bool(long number, const long* arguments, std::uint64_t pc, long& result);
void set_syscall_answer(SyscallAnswer* answer);

// The gate of this process; lies where a reset does not reach it. Null while there is none.
SyscallGate* syscall_gate();
void set_syscall_gate(SyscallGate* gate);

// For interposers that make a system call in the program's name by their own hand.
void program_makes_syscall(long number, const long* arguments);
// For such a call that at most moves in a file, which is undone.
void program_uses_file();

}  // namespace heddle::session
