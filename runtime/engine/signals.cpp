// Signals. The program's handlers run at safe points only: before a visible operation of the thread that
// takes the signal, and inside a wait that the signal breaks off. Signals that the program sends itself stay
// with us; those of other processes (a child's end, a timer of the kernel) are noted by a handler of ours and
// queued at the next safe point. Which thread takes a signal of the process is a choice.
#include "runtime/sched/signals.h"

#include <ucontext.h>

#include <cerrno>

#include "core/base/text_buffer.h"
#include "runtime/engine/execution.h"
#include "runtime/sched/floating_point.h"
#include "runtime/sched/kernel_signals.h"

// <string.h> declares it beside functions that the runtime has of its own (core/base/freestanding.h).
extern "C" const char* sigabbrev_np(int signal) noexcept;

namespace heddle::engine {

using sched::QueuedSignal;
using sched::SignalAction;
using sched::SignalSet;
using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

namespace {

// Written by the kernel's signals at any moment, read at safe points; with signals_arrived, which says that
// there are any, the only mutable global of this file.
struct Arrived {
  volatile sig_atomic_t signal[sched::kSignals] = {};
  siginfo_t info[sched::kSignals] = {};
};
Arrived arrived;

void on_signal(int signal, siginfo_t* info, void*) {
  arrived.info[signal] = *info;
  arrived.signal[signal] = 1;
  signals_arrived = 1;
}

const char* name_of(int signal, TextBuffer<128>& text) {
  const char* name = sigabbrev_np(signal);
  if (name != nullptr) {
    text << "SIG" << name;
  } else {
    text << "signal ";
    text.decimal(signal);
  }
  return text.c_str();
}

}  // namespace

void Execution::set_signal_action(int signal, const SignalAction& action) {
  actions_[signal] = action;
  const bool nothing = action.is_ignored() || (action.is_default() && sched::default_is_nothing(signal));
  if (nothing) signal_queue_.drop(signal);
  // The handlers of faults are ours in any case (runtime/session/crash.cpp).
  if (program_.is_fault(signal)) return;
  kernel_changes(SYS_rt_sigaction);
  const bool function = !action.is_default() && !action.is_ignored();
  const auto child_flags =
      signal == SIGCHLD ? static_cast<unsigned long>(action.flags & (SA_NOCLDSTOP | SA_NOCLDWAIT)) : 0ul;
  sched::set_kernel_action(signal, function ? on_signal : action.handler,
                           (function ? SA_SIGINFO | SA_RESTART : 0) | child_flags);
}

void Execution::set_signal_mask(SignalSet mask) {
  self().signal_mask = mask & ~sched::kNeverBlocked;
  if (signals_wait()) deliver_signals();
}

SignalSet Execution::pending_signals() {
  take_arrived_signals();
  return signal_queue_.pending(scheduler_.current()) & self().signal_mask;
}

// Decides who takes a signal, and wakes that thread if it waits.
Execution::Route Execution::route_signal(QueuedSignal& q) {
  const SignalAction& action = actions_[q.signal];
  const SignalSet bit = sched::set_of(q.signal);
  constexpr std::uint32_t kMost = 64;
  Thread* takers[kMost];
  ChoiceKey keys[kMost];
  std::uint32_t count = 0;
  bool waited_for = false;
  for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
    Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
    if (t.state == ThreadState::kFinished || t.state == ThreadState::kUnused) continue;
    if (q.target != kNoThread && q.target != t.id) continue;
    const bool awaits = t.state == ThreadState::kBlocked && (t.awaited_signals & bit) != 0;
    if (awaits && !waited_for) {  // sigwait goes before handlers
      waited_for = true;
      count = 0;
    }
    if (waited_for ? !awaits : (t.signal_mask & bit) != 0) continue;
    if (count < kMost) {
      takers[count] = &t;
      keys[count++] = ChoiceKey::thread(t.id);
    }
  }
  const bool nothing = action.is_ignored() || (action.is_default() && sched::default_is_nothing(q.signal));
  if (nothing && !waited_for) {
    // Blocked and awaited later (sigwait for SIGCHLD, a signalfd): it stays pending.
    return count == 0 ? Route::kPending : Route::kDropped;
  }
  if (count == 0) return Route::kPending;
  Thread* taker = takers[0];
  if (count > 1 && q.target == kNoThread) {
    // POSIX kill: if the caller can take it, at least one signal is delivered before kill returns.
    const bool own = !waited_for && (self().signal_mask & bit) == 0 && self().state == ThreadState::kRunnable;
    taker = own ? &self() : takers[choose(ChoiceKind::kWakeUp, count, 0, keys)];
  }
  q.target = taker->id;
  if (taker->state == ThreadState::kBlocked) {
    scheduler_.make_runnable(*taker);
    taker->timed_out = false;
  }
  return Route::kTaken;
}

bool Execution::queue_signal(QueuedSignal q) {
  const Route route = route_signal(q);
  if (route == Route::kDropped) return true;
  changed();
  if (route == Route::kPending && program_.divert_signal(q)) return true;
  return signal_queue_.add(q);
}

bool Execution::take_arrived_signals() {
  if (signals_arrived == 0) return false;
  signals_arrived = 0;
  for (int s = 1; s < sched::kSignals; ++s) {
    if (arrived.signal[s] == 0) continue;
    arrived.signal[s] = 0;
    QueuedSignal q;
    q.signal = s;
    q.info = arrived.info[s];
    queue_signal(q);
  }
  return !scheduler_.runnable().empty();
}

int Execution::send_signal(int signal, ThreadId target, const siginfo_t& info, std::uint64_t pc) {
  visible({EventKind::kSignal, MemoryOrder::kRelaxed, 0, 0, pc});
  done(EventKind::kSignal, static_cast<std::uint64_t>(signal));
  if (Event* e = record(EventKind::kSignal, pc)) {
    e->value = static_cast<std::uint64_t>(signal);
    e->other = target;
  }
  release_clock(signal_clock_);
  QueuedSignal q;
  q.signal = signal;
  q.target = target;
  q.info = info;
  if (!queue_signal(q)) return EAGAIN;
  deliver_signals();
  return 0;
}

void Execution::deliver_signals() {
  take_arrived_signals();
  Thread& t = self();
  QueuedSignal q;
  while (signal_queue_.take(t.id, ~t.signal_mask, q)) run_handler(q);
}

void Execution::run_handler(const QueuedSignal& q) {
  Thread& t = self();
  const SignalAction action = actions_[q.signal];
  if (action.is_ignored()) return;
  if (action.is_default()) {
    if (sched::default_is_nothing(q.signal)) return;
    report_unhandled_fault();
    TextBuffer<128> text;
    name_of(q.signal, text);
    text << ", which ends the program: it has no handler for it";
    fatal(FindingKind::kSignal, text.c_str(), t.last_pc, q.signal);
  }
  if ((action.flags & SA_RESETHAND) != 0) set_signal_action(q.signal, {});
  // What a handler does must not be seen by the operation that it comes before.
  const sched::PendingOperation pending = t.pending;
  const std::uint64_t last_pc = t.last_pc;
  const bool timed_out = t.timed_out;
  const bool at_cancellation_point = t.at_cancellation_point;
  const bool cancel_before_effect = t.cancel_before_effect;
  const SignalSet mask = t.signal_mask;
  const std::uint32_t depth = t.depth;
  t.at_cancellation_point = t.cancel_before_effect = false;
  t.signal_mask |= action.mask | ((action.flags & SA_NODEFER) != 0 ? 0 : sched::set_of(q.signal));
  t.signal_mask &= ~sched::kNeverBlocked;
  if (t.handler_depth++ == 0) t.mask_before_handlers = mask;
  acquire_clock(signal_clock_, t.id);
  done(EventKind::kSignal, static_cast<std::uint64_t>(q.signal) << 8);
  if (Event* e = record(EventKind::kSignal, last_pc)) {
    e->value = static_cast<std::uint64_t>(q.signal);
    e->flags = event_flags::kHandled;
  }
  siginfo_t info = q.info;
  ucontext_t context{};
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(last_pc);
  context.uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(__builtin_frame_address(0));
  context.uc_mcontext.gregs[REG_RBP] = reinterpret_cast<greg_t>(__builtin_frame_address(0));
  memcpy(&context.uc_sigmask, &mask, sizeof mask);
  {
    const sched::InitialFloatingPoint floating_point;
    action.handler(q.signal, &info, &context);
  }
  if (t.handler_depth != 0) --t.handler_depth;
  t.signal_mask = mask;
  t.depth = depth;
  t.pending = pending;
  t.last_pc = last_pc;
  t.timed_out = timed_out;
  t.at_cancellation_point = at_cancellation_point;
  t.cancel_before_effect = cancel_before_effect;
  ++t.handlers_run;
  t.interrupted = t.interrupted || (action.flags & SA_RESTART) == 0;
}

int Execution::await_signal(SignalSet set, std::uint64_t deadline, siginfo_t* info, std::uint64_t pc) {
  visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
  Thread& t = self();
  for (;;) {
    take_arrived_signals();
    QueuedSignal q;
    if (signal_queue_.take(t.id, set, q)) {
      acquire_clock(signal_clock_, t.id);
      done(EventKind::kBlockingCall, static_cast<std::uint64_t>(q.signal));
      note_call("sigwait", -1, q.signal, pc);
      if (info != nullptr) *info = q.info;
      return q.signal;
    }
    if (deadline <= scheduler_.now()) return 0;
    const std::uint32_t handled = t.handlers_run;
    t.awaited_signals = set;
    const bool woken = wait(WaitKind::kPause, 0, deadline);
    t.awaited_signals = 0;
    if (t.cancel_broke_wait || t.handlers_run != handled) return -1;
    if (!woken && signal_queue_.find(t.id, set) == 0) return 0;
  }
}

void Execution::suspend(SignalSet mask, std::uint64_t pc) {
  Thread& t = self();
  visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
  const SignalSet old = t.signal_mask;
  const std::uint32_t handled = t.handlers_run;
  set_signal_mask(mask);
  while (t.handlers_run == handled && !t.cancel_broke_wait) wait(WaitKind::kPause, 0);
  done(EventKind::kBlockingCall, 0);
  set_signal_mask(old);
}

bool Execution::handle_fault(int signal, siginfo_t* info, void* context, bool stack_is_used_up) {
  const SignalAction action = actions_[signal];
  if (action.is_default() || action.is_ignored()) return false;
  if (stack_is_used_up && (action.flags & SA_ONSTACK) == 0) return false;
  Thread& t = self();
  if (t.in_fault_handler || sched::has(t.signal_mask, signal))
    return false;  // a fault in the handler: the end
  if ((action.flags & SA_RESETHAND) != 0) actions_[signal] = {};
  fault_ = {signal, static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]),
            reinterpret_cast<std::uint64_t>(info->si_addr)};
  const SignalSet mask = t.signal_mask;
  const bool ignored = t.ignored;
  t.signal_mask |= action.mask | ((action.flags & SA_NODEFER) != 0 ? 0 : sched::set_of(signal));
  if (t.handler_depth++ == 0) t.mask_before_handlers = mask;
  t.in_fault_handler = true;
  t.ignored = true;  // all faults share one signal stack: nobody else may run until this one is dealt with
  action.handler(signal, info, context);
  t.ignored = ignored;
  t.in_fault_handler = false;
  if (t.handler_depth != 0) --t.handler_depth;
  t.signal_mask = mask;
  return true;
}

void Execution::report_unhandled_fault() {
  if (!self().in_fault_handler) return;
  self().in_fault_handler = false;
  TextBuffer<128> text;
  name_of(fault_.signal, text);
  if (fault_.signal == SIGSEGV || fault_.signal == SIGBUS) {
    text << " at address ";
    text.hex(fault_.address);
  }
  fatal(FindingKind::kSignal, text.c_str(), fault_.pc + 1, fault_.signal);
}

void Execution::requeue_pending_signals() {
  QueuedSignal q;
  for (std::uint32_t left = signal_queue_.count(); left != 0 && signal_queue_.pop(q); --left) queue_signal(q);
}

void Execution::hand_signals_to_kernel() {
  for (int s = 1; s < sched::kSignals; ++s) {
    const SignalAction& action = actions_[s];
    if (action.is_default() || action.is_ignored()) continue;
    // Handlers of the program return through its own libc; ours will do for them, too.
    sched::set_kernel_action(s, action.handler, static_cast<unsigned long>(action.flags), action.mask);
  }
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &self().signal_mask, 0, 8);
}

void Execution::leave_handlers() {
  Thread& t = self();
  if (t.handler_depth == 0) return;
  t.handler_depth = 0;
  t.signal_mask = t.mask_before_handlers;
  if (t.in_fault_handler) t.ignored = false;
  t.in_fault_handler = false;
}

}  // namespace heddle::engine
