// Signals on their way to threads of the program: what is pending, what the program wants done about each
// signal, and which thread takes one.
//
// Owns: the queue of pending signals, the program's actions, what the kernel has delivered and nobody has
// looked at, the fault that the program handles now, and the clock into which senders release.
// Invariants:
//   - a queued signal either has a taker, or every thread that could take it blocks it;
//   - a signal about which nothing is to be done is queued only while it is blocked or awaited;
//   - no thread's mask has a signal that cannot be blocked.
// Handlers run at safe points only: before a visible operation of the thread that takes the signal, and
// inside a wait that the signal breaks off. The mediator's half, which runs them, is signals.cpp.
#pragma once

#include <signal.h>

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/choice.h"
#include "runtime/sched/signals.h"
#include "runtime/sched/thread.h"

namespace heddle::engine {

// The kernel has delivered a signal that nobody has looked at yet. Asked at every turn.
inline volatile sig_atomic_t signals_arrived = 0;

// What signal delivery asks of the execution.
class SignalHost {
 public:
  virtual std::uint32_t thread_count() = 0;
  virtual sched::Thread& thread(ThreadId id) = 0;
  virtual sched::Thread& running() = 0;
  // The thread's wait is over, and not by its deadline.
  virtual void wake(sched::Thread& thread) = 0;
  // Which of `count` threads takes a signal of the process.
  virtual std::uint32_t choose_taker(const ChoiceKey* keys, std::uint32_t count) = 0;
  // A signal has been queued or taken: threads can see that something has changed.
  virtual void changed() = 0;
  // Hands a signal that nobody takes to a signalfd that waits for it. False: there is none.
  virtual bool divert(const sched::QueuedSignal& signal) = 0;

 protected:
  ~SignalHost() = default;
};

class SignalDelivery {
 public:
  enum class Route : std::uint8_t { kDropped, kPending, kTaken };
  struct Fault {
    int signal = 0;
    std::uint64_t pc = 0;
    std::uint64_t address = 0;
  };
  // What a handler must not change for the operation that it comes before.
  struct Interrupted {
    sched::PendingOperation pending;
    std::uint64_t last_pc = 0;
    bool timed_out = false;
    bool at_cancellation_point = false;
    bool cancel_before_effect = false;
    sched::SignalSet mask = 0;
    std::uint32_t depth = 0;
  };

  // Is there anything to deliver, or to look at?
  bool any() const { return !queue_.empty() || signals_arrived != 0; }

  const sched::SignalAction& action(int signal) const { return actions_[signal]; }
  // Signals that are pending are dropped if nothing is to be done about them any more.
  void set_action(int signal, const sched::SignalAction& action);
  void reset_action(int signal) { actions_[signal] = {}; }
  bool has_handler(int signal) const {
    return !actions_[signal].is_default() && !actions_[signal].is_ignored();
  }

  // Pending for the thread or for the process.
  sched::SignalSet pending(ThreadId thread) const { return queue_.pending(thread); }
  // The lowest signal of `set` that the thread may take; 0 where there is none.
  int find(ThreadId thread, sched::SignalSet set) const { return queue_.find(thread, set); }
  bool take(ThreadId thread, sched::SignalSet set, sched::QueuedSignal& signal) {
    return queue_.take(thread, set, signal);
  }

  // Decides who takes a signal, and wakes that thread if it waits. Threads that wait for the signal come
  // before handlers. A signal of the process goes to the running thread if that can take it (POSIX, kill).
  Route route(SignalHost& host, sched::QueuedSignal& signal);
  // Routes the signal and keeps it until it is taken. False: there is no room (EAGAIN).
  bool queue(SignalHost& host, sched::QueuedSignal signal);
  // Queues what the kernel has delivered since. False: it has delivered nothing.
  bool queue_arrived(SignalHost& host);
  // Routes everything that is pending once more: there is a new place for it to go to.
  void requeue(SignalHost& host);

  // Around a handler of the program that runs on this thread.
  static Interrupted enter_handler(sched::Thread& thread, int signal, const sched::SignalAction& action);
  static void leave_handler(sched::Thread& thread, const Interrupted& interrupted,
                            const sched::SignalAction& action);
  // A jump leaves all handlers of the thread behind.
  static void leave_all_handlers(sched::Thread& thread);

  // The running thread has a fault. Does the program's handler deal with it? Then `action` is what to call,
  // and the fault is noted.
  bool begin_fault(sched::Thread& thread, const Fault& fault, bool stack_is_used_up,
                   sched::SignalAction& action);
  const Fault& fault() const { return fault_; }

  // What all senders of signals have released (a clock of the mediator's).
  std::uint32_t& clock() { return clock_; }

 private:
  sched::SignalQueue queue_;
  sched::SignalAction actions_[sched::kSignals];
  std::uint32_t clock_ = 0;
  Fault fault_;
};

// The handler that the kernel is given for signals which the program handles: it notes that one has come.
void note_arrived(int signal, siginfo_t* info, void* context);

}  // namespace heddle::engine
