#include "runtime/engine/signals.h"

#include <ucontext.h>

#include <cerrno>

#include "core/base/text_buffer.h"
#include "core/trace/event.h"
#include "runtime/sched/floating_point.h"
#include "runtime/sched/kernel_signals.h"

// <string.h> declares it beside functions that the runtime has of its own (core/base/freestanding.h).
extern "C" const char* sigabbrev_np(int signal) noexcept;

namespace heddle::engine {

using sched::QueuedSignal;
using sched::SignalAction;
using sched::SignalSet;
using sched::Thread;
using sched::WaitKind;

namespace {

class Host final : public SignalHost {
 public:
  explicit Host(Execution& e) : e_(e) {}
  std::uint32_t thread_count() override { return e_.scheduler().thread_count(); }
  Thread& thread(ThreadId id) override { return e_.scheduler().thread(id); }
  Thread& running() override { return e_.self(); }
  void wake(Thread& t) override {
    e_.scheduler().make_runnable(t);
    t.timed_out = false;
  }
  std::uint32_t choose_taker(const ChoiceKey* keys, std::uint32_t count) override {
    return e_.choices().choose(ChoiceKind::kWakeUp, count, 0, keys);
  }
  void changed() override { e_.changed(); }
  bool divert(const QueuedSignal& signal) override { return e_.program().divert_signal(signal); }

 private:
  Execution& e_;
};

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

void run_handler(Execution& e, const QueuedSignal& q) {
  Thread& t = e.self();
  const SignalAction action = e.signals().action(q.signal);
  if (action.is_ignored()) return;
  if (action.is_default()) {
    if (sched::default_is_nothing(q.signal)) return;
    report_unhandled_fault(e);
    TextBuffer<128> text;
    name_of(q.signal, text);
    text << ", which ends the program: it has no handler for it";
    e.fatal(FindingKind::kSignal, text.c_str(), t.last_pc, q.signal);
  }
  if ((action.flags & SA_RESETHAND) != 0) set_signal_action(e, q.signal, {});
  const SignalDelivery::Interrupted interrupted = SignalDelivery::enter_handler(t, q.signal, action);
  e.edges().acquire(e.signals().clock(), t.id);
  e.done(EventKind::kSignal, static_cast<std::uint64_t>(q.signal) << 8);
  if (Event* event = e.record(EventKind::kSignal, interrupted.last_pc)) {
    event->value = static_cast<std::uint64_t>(q.signal);
    event->flags = event_flags::kHandled;
  }
  siginfo_t info = q.info;
  ucontext_t context{};
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(interrupted.last_pc);
  context.uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(__builtin_frame_address(0));
  context.uc_mcontext.gregs[REG_RBP] = reinterpret_cast<greg_t>(__builtin_frame_address(0));
  memcpy(&context.uc_sigmask, &interrupted.mask, sizeof interrupted.mask);
  {
    const sched::InitialFloatingPoint floating_point;
    action.handler(q.signal, &info, &context);
  }
  SignalDelivery::leave_handler(t, interrupted, action);
}

}  // namespace

void set_signal_action(Execution& e, int signal, const SignalAction& action) {
  e.signals().set_action(signal, action);
  // The handlers of faults are ours in any case (runtime/session/crash.cpp).
  if (e.program().is_fault(signal)) return;
  e.kernel_changes(SYS_rt_sigaction);
  const bool function = e.signals().has_handler(signal);
  const auto child_flags =
      signal == SIGCHLD ? static_cast<unsigned long>(action.flags & (SA_NOCLDSTOP | SA_NOCLDWAIT)) : 0ul;
  sched::set_kernel_action(signal, function ? note_arrived : action.handler,
                           (function ? SA_SIGINFO | SA_RESTART : 0) | child_flags);
}

void set_signal_mask(Execution& e, SignalSet mask) {
  e.self().signal_mask = mask & ~sched::kNeverBlocked;
  if (e.signals().any()) deliver_signals(e);
}

SignalSet pending_signals(Execution& e) {
  take_arrived_signals(e);
  return e.signals().pending(e.self().id) & e.self().signal_mask;
}

bool take_arrived_signals(Execution& e) {
  Host host(e);
  return e.signals().queue_arrived(host) && !e.scheduler().runnable().empty();
}

void queue_signal(Execution& e, const QueuedSignal& signal) {
  Host host(e);
  e.signals().queue(host, signal);
}

int send_signal(Execution& e, int signal, ThreadId target, const siginfo_t& info, std::uint64_t pc) {
  e.visible({EventKind::kSignal, MemoryOrder::kRelaxed, 0, 0, pc});
  e.done(EventKind::kSignal, static_cast<std::uint64_t>(signal));
  if (Event* event = e.record(EventKind::kSignal, pc)) {
    event->value = static_cast<std::uint64_t>(signal);
    event->other = target;
  }
  e.edges().release(e.signals().clock());
  QueuedSignal q;
  q.signal = signal;
  q.target = target;
  q.info = info;
  Host host(e);
  if (!e.signals().queue(host, q)) return EAGAIN;
  deliver_signals(e);
  return 0;
}

void deliver_signals(Execution& e) {
  take_arrived_signals(e);
  Thread& t = e.self();
  QueuedSignal q;
  while (e.signals().take(t.id, ~t.signal_mask, q)) run_handler(e, q);
}

int await_signal(Execution& e, SignalSet set, std::uint64_t deadline, siginfo_t* info, std::uint64_t pc) {
  e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
  Thread& t = e.self();
  for (;;) {
    take_arrived_signals(e);
    QueuedSignal q;
    if (e.signals().take(t.id, set, q)) {
      e.edges().acquire(e.signals().clock(), t.id);
      e.done(EventKind::kBlockingCall, static_cast<std::uint64_t>(q.signal));
      e.note_call("sigwait", -1, q.signal, pc);
      if (info != nullptr) *info = q.info;
      return q.signal;
    }
    if (deadline <= e.scheduler().now()) return 0;
    const std::uint32_t handled = t.handlers_run;
    t.awaited_signals = set;
    const bool woken = e.wait(WaitKind::kPause, 0, deadline);
    t.awaited_signals = 0;
    if (t.cancel_broke_wait || t.handlers_run != handled) return -1;
    if (!woken && e.signals().find(t.id, set) == 0) return 0;
  }
}

void suspend(Execution& e, SignalSet mask, std::uint64_t pc) {
  Thread& t = e.self();
  e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, 0, pc});
  const SignalSet old = t.signal_mask;
  const std::uint32_t handled = t.handlers_run;
  set_signal_mask(e, mask);
  while (t.handlers_run == handled && !t.cancel_broke_wait) e.wait(WaitKind::kPause, 0);
  e.done(EventKind::kBlockingCall, 0);
  set_signal_mask(e, old);
}

bool handle_fault(Execution& e, int signal, siginfo_t* info, void* context, bool stack_is_used_up) {
  Thread& t = e.self();
  SignalAction action;
  const SignalDelivery::Fault fault{
      signal, static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]),
      reinterpret_cast<std::uint64_t>(info->si_addr)};
  if (!e.signals().begin_fault(t, fault, stack_is_used_up, action)) return false;
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

void report_unhandled_fault(Execution& e) {
  if (!e.self().in_fault_handler) return;
  e.self().in_fault_handler = false;
  const SignalDelivery::Fault& fault = e.signals().fault();
  TextBuffer<128> text;
  name_of(fault.signal, text);
  if (fault.signal == SIGSEGV || fault.signal == SIGBUS) {
    text << " at address ";
    text.hex(fault.address);
  }
  e.fatal(FindingKind::kSignal, text.c_str(), fault.pc + 1, fault.signal);
}

void requeue_pending_signals(Execution& e) {
  Host host(e);
  e.signals().requeue(host);
}

void hand_signals_to_kernel(Execution& e) {
  for (int s = 1; s < sched::kSignals; ++s) {
    if (!e.signals().has_handler(s)) continue;
    const SignalAction& action = e.signals().action(s);
    // Handlers of the program return through its own libc; ours will do for them, too.
    sched::set_kernel_action(s, action.handler, static_cast<unsigned long>(action.flags), action.mask);
  }
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &e.self().signal_mask, 0, 8);
}

void leave_handlers(Execution& e) { SignalDelivery::leave_all_handlers(e.self()); }

}  // namespace heddle::engine
