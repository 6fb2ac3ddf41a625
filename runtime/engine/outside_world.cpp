#include "runtime/engine/outside_world.h"

#include <poll.h>
#include <time.h>

#include "core/base/raw_syscall.h"

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

bool OutsideWorld::wake_ready_calls() {
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
bool OutsideWorld::something_came(OutsideHost& host) {
  const bool signals = host.take_arrived_signals();
  return wake_ready_calls() || signals;
}

OutsideWorld::Passed OutsideWorld::pass_time(OutsideHost& host) {
  const auto something_if = [](bool came) { return came ? Passed::kSomething : Passed::kNothing; };
  const std::uint64_t deadline = scheduler_.next_deadline();
  const std::uint64_t ring = timers_.earliest();
  const std::uint64_t next = deadline < ring ? deadline : ring;
  const Outlook hope = outlook(host);
  // A timeout of the program is real time to those whom it waits for.
  if (hope == Outlook::kAlive) {
    if (wait_for_real(host, next == sched::kNoDeadline ? next : next - scheduler_.now()))
      return Passed::kSomething;
    // Who was alive may have ended meanwhile without a word.
    if (next == sched::kNoDeadline)
      return something_if(outlook(host) != Outlook::kNothing || something_came(host));
  }
  if (next == sched::kNoDeadline) {
    if (hope == Outlook::kNothing) return something_if(something_came(host));
    return wait_for_real(host, kIdleNanoseconds) ? Passed::kSomething : Passed::kNobodyCame;
  }
  scheduler_.advance_to(next);
  fire_timers(host);
  return Passed::kSomething;
}

// Waits in the kernel until a parked call can go on or a signal comes. False: it took too long.
bool OutsideWorld::wait_for_real(OutsideHost& host, std::uint64_t most_nanoseconds) {
  // Readiness that poll cannot express is asked for every few milliseconds.
  constexpr std::uint64_t kStep = 5 * kMillisecond;
  constexpr std::uint32_t kMost = 256;
  const std::uint64_t began = wall_nanoseconds();
  const Outlook hope = outlook(host);
  host.waits_for_real();
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
    if (something_came(host)) return true;
    if (outlook(host) < hope) return something_came(host);  // who could have helped is gone
  }
}

void OutsideWorld::wait_with_spins(OutsideHost& host) {
  constexpr std::uint64_t kMost = 50 * kMillisecond;
  if (outlook(host, true) != Outlook::kAlive) {
    // Who was alive until now may have done something since the threads looked last.
    const bool was_alive = patience_ns_ != 0;
    patience_ns_ = 0;
    if (was_alive) host.changed();
    return;
  }
  host.waits_for_real();
  patience_ns_ = patience_ns_ == 0 ? kMillisecond : patience_ns_ * 2 < kMost ? patience_ns_ * 2 : kMost;
  if (!something_came(host)) {
    timespec pause{0, static_cast<long>(patience_ns_)};
    raw_syscall(SYS_nanosleep, &pause, 0);
    wake_ready_calls();
  }
  host.changed();
}

void OutsideWorld::fire_timers(OutsideHost& host) {
  std::uint64_t times = 0;
  for (;;) {
    const std::uint32_t index = timers_.expire(scheduler_.now(), times);
    if (index == sched::TimerTable::kMost) return;
    sched::Timer& timer = timers_.at(index);
    if (timer.descriptor >= 0) {
      raw_syscall(SYS_write, timer.descriptor, &times, sizeof times);
      host.changed();
      io_happened();
      continue;
    }
    if (timer.signal == 0) continue;
    timer.overruns = static_cast<std::uint32_t>(times - 1);
    sched::QueuedSignal q;
    q.signal = timer.signal;
    q.target = timer.target;
    q.info.si_signo = timer.signal;
    q.info.si_code = index < sched::TimerTable::kFirstFree ? SI_KERNEL : SI_TIMER;
    q.info.si_value.sival_ptr = timer.value;
    q.info.si_timerid = static_cast<int>(index);
    q.info.si_overrun = static_cast<int>(timer.overruns);
    host.send(q);
  }
}

}  // namespace heddle::engine
