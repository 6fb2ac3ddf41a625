#include "runtime/engine/signal_delivery.h"

namespace heddle::engine {

using sched::QueuedSignal;
using sched::SignalAction;
using sched::SignalSet;
using sched::Thread;
using sched::ThreadState;

namespace {

// Written by the kernel's signals at any moment, read at safe points. With signals_arrived, which says that
// there are any, the only mutable global of signal delivery.
struct Arrived {
  volatile sig_atomic_t signal[sched::kSignals] = {};
  siginfo_t info[sched::kSignals] = {};
};
Arrived arrived;

bool does_nothing(int signal, const SignalAction& action) {
  return action.is_ignored() || (action.is_default() && sched::default_is_nothing(signal));
}

}  // namespace

void note_arrived(int signal, siginfo_t* info, void*) {
  arrived.info[signal] = *info;
  arrived.signal[signal] = 1;
  signals_arrived = 1;
}

void SignalDelivery::set_action(int signal, const SignalAction& action) {
  actions_[signal] = action;
  if (does_nothing(signal, action)) queue_.drop(signal);
}

SignalDelivery::Route SignalDelivery::route(SignalHost& host, QueuedSignal& q) {
  const SignalSet bit = sched::set_of(q.signal);
  constexpr std::uint32_t kMost = 64;
  Thread* takers[kMost];
  ChoiceKey keys[kMost];
  std::uint32_t count = 0;
  bool waited_for = false;
  for (std::uint32_t i = 0; i < host.thread_count(); ++i) {
    Thread& t = host.thread(ThreadId{static_cast<std::uint16_t>(i)});
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
  if (does_nothing(q.signal, actions_[q.signal]) && !waited_for) {
    // Blocked and awaited later (sigwait for SIGCHLD, a signalfd): it stays pending.
    return count == 0 ? Route::kPending : Route::kDropped;
  }
  if (count == 0) return Route::kPending;
  Thread* taker = takers[0];
  if (count > 1 && q.target == kNoThread) {
    // POSIX kill: if the caller can take it, at least one signal is delivered before kill returns.
    Thread& running = host.running();
    const bool own =
        !waited_for && (running.signal_mask & bit) == 0 && running.state == ThreadState::kRunnable;
    taker = own ? &running : takers[host.choose_taker(keys, count)];
  }
  q.target = taker->id;
  if (taker->state == ThreadState::kBlocked) host.wake(*taker);
  return Route::kTaken;
}

bool SignalDelivery::queue(SignalHost& host, QueuedSignal q) {
  const Route way = route(host, q);
  if (way == Route::kDropped) return true;
  host.changed();
  if (way == Route::kPending && host.divert(q)) return true;
  return queue_.add(q);
}

bool SignalDelivery::queue_arrived(SignalHost& host) {
  if (signals_arrived == 0) return false;
  signals_arrived = 0;
  for (int s = 1; s < sched::kSignals; ++s) {
    if (arrived.signal[s] == 0) continue;
    arrived.signal[s] = 0;
    QueuedSignal q;
    q.signal = s;
    q.info = arrived.info[s];
    queue(host, q);
  }
  return true;
}

void SignalDelivery::requeue(SignalHost& host) {
  QueuedSignal q;
  for (std::uint32_t left = queue_.count(); left != 0 && queue_.pop(q); --left) queue(host, q);
}

SignalDelivery::Interrupted SignalDelivery::enter_handler(Thread& t, int signal, const SignalAction& action) {
  const Interrupted interrupted{
      t.pending,     t.last_pc, t.timed_out, t.at_cancellation_point, t.cancel_before_effect,
      t.signal_mask, t.depth};
  t.at_cancellation_point = t.cancel_before_effect = false;
  t.signal_mask |= action.mask | ((action.flags & SA_NODEFER) != 0 ? 0 : sched::set_of(signal));
  t.signal_mask &= ~sched::kNeverBlocked;
  if (t.handler_depth++ == 0) t.mask_before_handlers = interrupted.mask;
  return interrupted;
}

void SignalDelivery::leave_handler(Thread& t, const Interrupted& interrupted, const SignalAction& action) {
  if (t.handler_depth != 0) --t.handler_depth;
  t.signal_mask = interrupted.mask;
  t.depth = interrupted.depth;
  t.pending = interrupted.pending;
  t.last_pc = interrupted.last_pc;
  t.timed_out = interrupted.timed_out;
  t.at_cancellation_point = interrupted.at_cancellation_point;
  t.cancel_before_effect = interrupted.cancel_before_effect;
  ++t.handlers_run;
  t.interrupted = t.interrupted || (action.flags & SA_RESTART) == 0;
}

void SignalDelivery::leave_all_handlers(Thread& t) {
  if (t.handler_depth == 0) return;
  t.handler_depth = 0;
  t.signal_mask = t.mask_before_handlers;
  if (t.in_fault_handler) t.ignored = false;
  t.in_fault_handler = false;
}

bool SignalDelivery::begin_fault(Thread& t, const Fault& fault, bool stack_is_used_up, SignalAction& action) {
  action = actions_[fault.signal];
  if (action.is_default() || action.is_ignored()) return false;
  if (stack_is_used_up && (action.flags & SA_ONSTACK) == 0) return false;
  // A fault in the handler is the end.
  if (t.in_fault_handler || sched::has(t.signal_mask, fault.signal)) return false;
  if ((action.flags & SA_RESETHAND) != 0) reset_action(fault.signal);
  fault_ = fault;
  return true;
}

}  // namespace heddle::engine
