// What the engine asks of the rooms around it, and how it marks its own calls.
#pragma once

#include "core/base/ids.h"
#include "core/trace/channel.h"
#include "runtime/sched/signals.h"

namespace heddle::engine {

// What the session does for the engine.
struct SessionHooks {
  // Called once, before the first choice of all. Returns in every process that is to run an execution on.
  void (*at_first_choice)() = nullptr;
  // Ends the process; the channel holds the result.
  void (*end)(Ending ending, int status) = nullptr;
  // The execution makes this system call, which leaves a trace in the kernel: it cannot be undone in process.
  void (*kernel_changes)(long number) = nullptr;
  // Before the first choice: there will be another thread.
  void (*threads_begin)() = nullptr;
};

// What the interposers do for the engine.
struct ProgramHooks {
  // Unwinds the running thread, which was cancelled. Does not return.
  void (*cancel)() = nullptr;
  // Is this a signal by which faults are noticed?
  bool (*is_fault)(int signal) = nullptr;
  // Hands a signal to a signalfd that waits for it. False: there is none.
  bool (*divert_signal)(const sched::QueuedSignal& signal) = nullptr;
  // The running thread has failed, and the execution ends with it; because of an access at `address`, if it
  // faulted.
  void (*failed)(bool faulted, Address address) = nullptr;
};

// While one lives, calls that reach our interposers come from the runtime itself and go straight to libc.
class RuntimeScope {
 public:
  RuntimeScope() { ++depth; }
  ~RuntimeScope() { --depth; }
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;
  static bool active() { return depth != 0; }

 private:
  static int depth;
};

}  // namespace heddle::engine
