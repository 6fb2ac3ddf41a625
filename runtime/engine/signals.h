// Signals of the program under the engine (docs/guide/outside-world.md). Signals that the program sends itself
// stay with us. Those of other processes (a child's end, a timer of the kernel) are noted by a handler of ours
// and queued at the next safe point. Which thread takes a signal of the process is a choice.
#pragma once

#include <signal.h>

#include <cstdint>

#include "runtime/engine/execution.h"

namespace heddle::engine {

void set_signal_action(Execution& e, int signal, const sched::SignalAction& action);
// Blocks these signals for the calling thread; what becomes deliverable is delivered.
void set_signal_mask(Execution& e, sched::SignalSet mask);
sched::SignalSet pending_signals(Execution& e);
// 0 or EAGAIN. The target is a thread, or the process (kNoThread).
int send_signal(Execution& e, int signal, ThreadId target, const siginfo_t& info, std::uint64_t pc);
// sigwait: the signal that came, 0 after the deadline, or -1 if a handler ran instead.
int await_signal(Execution& e, sched::SignalSet set, std::uint64_t deadline, siginfo_t* info,
                 std::uint64_t pc);
// sigsuspend: waits with these signals blocked until a handler has run.
void suspend(Execution& e, sched::SignalSet mask, std::uint64_t pc);
// Runs the program's handler for a fault of the running thread, on the stack of the kernel's signal.
// False: there is none.
bool handle_fault(Execution& e, int signal, siginfo_t* info, void* context, bool stack_is_used_up);
// The program ends while it handles a fault: the fault is what went wrong.
void report_unhandled_fault(Execution& e);
// There is a new place for signals that are pending: they are sent again.
void requeue_pending_signals(Execution& e);
// The process leaves the engine: the kernel takes over handlers and the calling thread's mask.
void hand_signals_to_kernel(Execution& e);
// A jump leaves handlers behind.
void leave_handlers(Execution& e);

// At safe points: runs the handlers of signals that the calling thread takes.
void deliver_signals(Execution& e);
// Queues what the kernel has delivered. True: something has come, and a thread can run.
bool take_arrived_signals(Execution& e);
// A timer of the program sends this signal.
void queue_signal(Execution& e, const sched::QueuedSignal& signal);

}  // namespace heddle::engine
