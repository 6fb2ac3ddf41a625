// Blocking system calls. The calling thread asks the kernel without blocking; where the answer is "not yet",
// it is parked here and the others run. Whatever they do with descriptors makes parked threads ask again.
// When nobody can run, time passes; when only the outside world can help, the process waits for it for real.
#include <time.h>

#include "runtime/engine/execution.h"
#include "runtime/engine/signals.h"

namespace heddle::engine {

using sched::BlockingCall;
using sched::Thread;
using sched::WaitKind;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
// How long a process that nobody is known to talk to waits for somebody, once it can do nothing else.
constexpr std::uint64_t kIdleNanoseconds = 100 * kMillisecond;

std::uint64_t wall_nanoseconds() {
  timespec t{};
  raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

bool is_ready(const BlockingCall& call) {
  if (call.ready != nullptr) return call.ready(call);
  timespec none{};
  return raw_syscall(SYS_ppoll, call.polled, call.polled_count, &none, 0, 8) > 0;
}

}  // namespace

void Execution::leave_prefix() {
  if (!begun_) hooks_.at_first_choice();
}

Execution::Awaited Execution::await_outside(const BlockingCall& call, std::uint64_t deadline) {
  Thread& t = self();
  t.blocking_call = &call;
  ++parked_;
  const bool woken = wait(WaitKind::kOutside, 0, deadline);
  --parked_;
  t.blocking_call = nullptr;
  if (t.interrupted) return Awaited::kInterrupted;
  return woken ? Awaited::kReady : Awaited::kTimedOut;
}

bool Execution::wake_ready_calls() {
  bool any = false;
  if (parked_ == 0) return any;
  scheduler_.for_each_blocked([&](Thread& t) {
    if (t.wait != WaitKind::kOutside || !is_ready(*t.blocking_call)) return;
    scheduler_.make_runnable(t);
    any = true;
  });
  return any;
}

// A signal or what a parked call waits for. To be asked after outlook() has said that there is nobody: a
// process may have acted, and ended, after the question before that. Whoever ended does nothing more, so that
// the answer holds.
bool Execution::something_came() {
  const bool signals = take_arrived_signals(*this);
  return wake_ready_calls() || signals;
}

// Nobody can run. False: nothing can ever change that.
bool Execution::pass_time() {
  const std::uint64_t deadline = scheduler_.next_deadline();
  const std::uint64_t ring = timers_.earliest();
  const std::uint64_t next = deadline < ring ? deadline : ring;
  const Outlook hope = outlook();
  // A timeout of the program is real time to those whom it waits for.
  if (hope == Outlook::kAlive) {
    if (wait_for_real(next == sched::kNoDeadline ? next : next - scheduler_.now())) return true;
    // Who was alive may have ended meanwhile without a word.
    if (next == sched::kNoDeadline) return outlook() != Outlook::kNothing || something_came();
  }
  if (next == sched::kNoDeadline) {
    if (hope == Outlook::kNothing) return something_came();
    if (wait_for_real(kIdleNanoseconds)) return true;
    finish(Ending::kCut, 0);  // a server without clients: what it did so far is all there is
  }
  scheduler_.advance_to(next);
  fire_timers();
  return true;
}

// Waits in the kernel until a parked call can go on or a signal comes. False: it took too long.
bool Execution::wait_for_real(std::uint64_t most_nanoseconds) {
  // Readiness that poll cannot express is asked for every few milliseconds.
  constexpr std::uint64_t kStep = 5 * kMillisecond;
  constexpr std::uint32_t kMost = 256;
  const std::uint64_t began = wall_nanoseconds();
  const Outlook hope = outlook();
  note_flag(result_flags::kOtherProcess);
  for (;;) {
    pollfd polled[kMost];
    std::uint32_t count = 0;
    scheduler_.for_each_blocked([&](Thread& t) {
      if (t.wait != WaitKind::kOutside) return;
      for (std::uint32_t i = 0; i < t.blocking_call->polled_count && count < kMost; ++i)
        polled[count++] = t.blocking_call->polled[i];
    });
    const std::uint64_t passed = wall_nanoseconds() - began;
    if (passed >= most_nanoseconds) return false;
    std::uint64_t step = most_nanoseconds - passed;
    if (step > kStep) step = kStep;
    timespec limit{0, static_cast<long>(step)};
    raw_syscall(SYS_ppoll, polled, count, &limit, 0, 8);
    if (something_came()) return true;
    if (outlook() < hope) return something_came();  // who could have helped is gone
  }
}

// Threads run and nothing changes. If the outside could change that, it gets some real time to do so.
bool Execution::spin_waits_for_outside() {
  if (outlook(true) != Outlook::kAlive) {
    // Who was alive until now may have done something since the threads looked last.
    const bool was_alive = patience_ns_ != 0;
    patience_ns_ = 0;
    if (was_alive) changed();
    return was_alive;
  }
  note_flag(result_flags::kOtherProcess);
  constexpr std::uint64_t kMost = 50 * kMillisecond;
  patience_ns_ = patience_ns_ == 0 ? kMillisecond : patience_ns_ * 2 < kMost ? patience_ns_ * 2 : kMost;
  if (!something_came()) {
    timespec pause{0, static_cast<long>(patience_ns_)};
    raw_syscall(SYS_nanosleep, &pause, 0);
    wake_ready_calls();
  }
  changed();
  return true;
}

void Execution::acquire_descriptor(int descriptor) {
  acquire_clock(descriptor_clocks_.of(descriptor), scheduler_.current());
}

void Execution::release_descriptor(int descriptor) { release_clock(descriptor_clocks_.of(descriptor)); }

void Execution::note_call(const char* name, long descriptor, long result, std::uint64_t pc) {
  if (Event* e = record(EventKind::kBlockingCall, pc)) {
    e->value = static_cast<std::uint64_t>(descriptor);
    e->value2 = static_cast<std::uint64_t>(result);
    e->text = channel_.add_text(name, strlen(name));
    e->flags = result < 0 ? event_flags::kFailed : 0;
  }
}

}  // namespace heddle::engine
