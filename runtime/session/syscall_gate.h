// Which system calls the program makes, also from inside libraries that bypass every interposer (fopen's
// openat).
//
// An execution can be undone in process only where it left no trace in the kernel. Syscall User Dispatch
// (Linux 5.11) turns each system call from outside the runtime's own code into SIGSYS: those on the list of
// harmless ones are carried out and the program goes on; the first other one opens the gate for the rest of
// the process and says that the next execution needs a new process.
#pragma once

#include <cstdint>

namespace heddle::session {

class SyscallGate {
 public:
  // In a child, before its first execution. False: the kernel does not have it.
  bool close();
  // The program's next system calls go through untouched; the process cannot be reset any more. `number` is
  // told to users as the reason.
  void open(long number);
  bool was_opened() const { return opened_; }
  long reason() const { return reason_; }

  // Would this call leave a trace?
  static bool harmless(long number, const long* arguments);

 private:
  volatile unsigned char selector_ = 0;  // read by the kernel
  bool opened_ = false;
  long reason_ = -1;
};

// The gate of this process; lies where a reset does not reach it. Null while there is none.
SyscallGate* syscall_gate();
void set_syscall_gate(SyscallGate* gate);

// For interposers that make a system call in the program's name by their own hand.
void program_makes_syscall(long number, const long* arguments);

}  // namespace heddle::session
