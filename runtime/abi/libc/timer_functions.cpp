// alarm, setitimer, timer_create and timerfd in virtual time (runtime/engine/outside_world.h).
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/abi/blocking_call.h"
#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/signal_descriptors.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/abi/pthread/thread_attributes.h"
#include "runtime/engine/signals.h"

namespace heddle::abi {
namespace {

using sched::kTimerOff;
using sched::Timer;
using sched::TimerTable;

// libc's own timers use this one, too: no program can.
constexpr int kNotifySignal = 33;

timespec to_timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
}
timeval to_timeval(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / 1'000'000'000),
          static_cast<suseconds_t>(nanoseconds % 1'000'000'000 / 1000)};
}
std::uint64_t nanoseconds_of(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_usec) * 1000;
}
std::uint64_t left(Execution& e, const Timer& t) {
  return t.next == kTimerOff ? 0 : t.next > e.scheduler().now() ? t.next - e.scheduler().now() : 1;
}

// Starts a timer that rings after `first` (0: stops it); answers what was left of it.
std::uint64_t start_interval(Execution& e, std::uint32_t which, std::uint64_t first, std::uint64_t interval) {
  constexpr int kSignalOf[] = {SIGALRM, SIGVTALRM, SIGPROF};
  Timer& timer = e.timers().at(which);
  const std::uint64_t before = left(e, timer);
  timer.used = true;
  timer.signal = kSignalOf[which];
  e.timers().set(which, first == 0 ? kTimerOff : e.scheduler().now() + first, interval);
  return before;
}

itimerspec setting_of(Execution& e, const Timer& timer) {
  return {to_timespec(timer.interval), to_timespec(left(e, timer))};
}

int set_timer(Execution& e, std::uint32_t index, bool absolute, const itimerspec* wanted, itimerspec* old) {
  if (wanted == nullptr || !valid_time(wanted->it_value) || !valid_time(wanted->it_interval)) return EINVAL;
  Timer& timer = e.timers().at(index);
  if (old != nullptr) *old = setting_of(e, timer);
  std::uint64_t next = kTimerOff;
  if (wanted->it_value.tv_sec != 0 || wanted->it_value.tv_nsec != 0) {
    next = absolute ? deadline_of(wanted->it_value, timer.clock)
                    : e.scheduler().now() + nanoseconds(wanted->it_value);
  }
  if (timer.descriptor >= 0) {  // expiries that nobody has read are forgotten
    std::uint64_t value = 0;
    NonblockingScope scope(timer.descriptor);
    raw_syscall(SYS_read, timer.descriptor, &value, sizeof value);
  }
  e.timers().set(index, next, nanoseconds(wanted->it_interval));
  return 0;
}

bool known_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
         clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM ||
         clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_TAI;
}

// SIGEV_THREAD: a thread of its own calls the function each time the timer rings.
struct Notification {
  void (*function)(sigval);
  sigval value;
};

void* notify_for_ever(void* argument) {
  const Notification notification = *static_cast<Notification*>(argument);
  for (;;) {
    if (await_signal(*current, sched::set_of(kNotifySignal), sched::kNoDeadline, nullptr, 0) > 0)
      notification.function(notification.value);
  }
}

int start_notifier(Execution& e, const sigevent& event, Timer& timer) {
  auto* notification = static_cast<Notification*>(malloc(sizeof(Notification)));
  if (notification == nullptr) return EAGAIN;
  *notification = {event.sigev_notify_function, event.sigev_value};
  pthread_t thread;
  if (const int error = pthread_create(&thread, nullptr, notify_for_ever, notification); error != 0)
    return error;
  sched::Thread* t = e.scheduler().find(thread);
  t->detached = true;
  t->signal_mask = ~sched::SignalSet{0};
  timer.signal = kNotifySignal;
  timer.target = t->id;
  return 0;
}

int create_timer(Execution& e, clockid_t clock, const sigevent* event, timer_t* result) {
  if (!known_clock(clock)) return EINVAL;
  e.leave_prefix();
  const std::uint32_t index = e.timers().add();
  Timer& timer = e.timers().at(index);
  timer.clock = clock;
  timer.signal = SIGALRM;
  timer.value = reinterpret_cast<void*>(std::uintptr_t{index});
  if (event != nullptr) {
    timer.value = event->sigev_value.sival_ptr;
    timer.signal = event->sigev_signo;
    switch (event->sigev_notify) {
      case SIGEV_NONE:
        timer.signal = 0;
        break;
      case SIGEV_SIGNAL:
        break;
      case SIGEV_THREAD:
        if (const int error = start_notifier(e, *event, timer); error != 0) return error;
        break;
      case SIGEV_THREAD_ID: {
        const sched::Thread* t = thread_of_tid(e, event->_sigev_un._tid);
        if (t == nullptr) return EINVAL;
        timer.target = t->id;
        break;
      }
      default:
        e.timers().remove(index);
        return EINVAL;
    }
  }
  *result = reinterpret_cast<timer_t>(std::uintptr_t{index});
  return 0;
}

int as_result(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// The table's index, or kMost for a timer that does not exist.
std::uint32_t index_of_timer(Execution& e, timer_t timer) {
  const auto index = reinterpret_cast<std::uintptr_t>(timer);
  if (index < TimerTable::kFirstFree || index >= TimerTable::kMost) return TimerTable::kMost;
  return e.timers().at(static_cast<std::uint32_t>(index)).used ? static_cast<std::uint32_t>(index)
                                                               : TimerTable::kMost;
}

}  // namespace

void forget_timer_descriptor(Execution& e, int descriptor) {
  const std::uint32_t index = e.timers().find_descriptor(descriptor);
  if (index != TimerTable::kMost) e.timers().remove(index);
}

}  // namespace heddle::abi

using heddle::abi::as_result;
using heddle::abi::engine;
using heddle::sched::TimerTable;

HEDDLE_EXPORT unsigned alarm(unsigned seconds) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(alarm)(seconds);
  const std::uint64_t before = heddle::abi::start_interval(*e, 0, std::uint64_t{seconds} * 1'000'000'000, 0);
  return static_cast<unsigned>((before + 999'999'999) / 1'000'000'000);
}
HEDDLE_EXPORT useconds_t ualarm(useconds_t first, useconds_t interval) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(ualarm)(first, interval);
  return static_cast<useconds_t>(
      heddle::abi::start_interval(*e, 0, std::uint64_t{first} * 1000, std::uint64_t{interval} * 1000) / 1000);
}
HEDDLE_EXPORT int setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* old) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(setitimer)(which, wanted, old);
  const auto index = static_cast<std::uint32_t>(which);
  if (index > 2) return as_result(EINVAL);
  const auto call = HEDDLE_EXPORTED_CALL(setitimer);
  call.reads_object(wanted);
  call.writes_object(old);
  const heddle::sched::Timer before = e->timers().at(index);
  if (old != nullptr) {
    *old = {heddle::abi::to_timeval(before.interval), heddle::abi::to_timeval(heddle::abi::left(*e, before))};
  }
  if (wanted != nullptr) {
    heddle::abi::start_interval(*e, index, heddle::abi::nanoseconds_of(wanted->it_value),
                                heddle::abi::nanoseconds_of(wanted->it_interval));
  }
  return 0;
}
HEDDLE_EXPORT int getitimer(__itimer_which_t which, itimerval* result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(getitimer)(which, result);
  if (static_cast<std::uint32_t>(which) > 2) return as_result(EINVAL);
  const heddle::sched::Timer& timer = e->timers().at(static_cast<std::uint32_t>(which));
  *result = {heddle::abi::to_timeval(timer.interval), heddle::abi::to_timeval(heddle::abi::left(*e, timer))};
  HEDDLE_EXPORTED_CALL(getitimer).writes_object(result);
  return 0;
}

HEDDLE_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timer_create)(clock, event, result);
  return as_result(heddle::abi::create_timer(*e, clock, event, result));
}
HEDDLE_EXPORT int timer_settime(timer_t timer, int flags, const itimerspec* wanted,
                                itimerspec* old) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timer_settime)(timer, flags, wanted, old);
  const std::uint32_t index = heddle::abi::index_of_timer(*e, timer);
  if (index == TimerTable::kMost) return as_result(EINVAL);
  return as_result(heddle::abi::set_timer(*e, index, (flags & TIMER_ABSTIME) != 0, wanted, old));
}
HEDDLE_EXPORT int timer_gettime(timer_t timer, itimerspec* result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timer_gettime)(timer, result);
  const std::uint32_t index = heddle::abi::index_of_timer(*e, timer);
  if (index == TimerTable::kMost) return as_result(EINVAL);
  *result = heddle::abi::setting_of(*e, e->timers().at(index));
  return 0;
}
HEDDLE_EXPORT int timer_getoverrun(timer_t timer) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timer_getoverrun)(timer);
  const std::uint32_t index = heddle::abi::index_of_timer(*e, timer);
  if (index == TimerTable::kMost) return as_result(EINVAL);
  return static_cast<int>(e->timers().at(index).overruns);
}
HEDDLE_EXPORT int timer_delete(timer_t timer) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timer_delete)(timer);
  const std::uint32_t index = heddle::abi::index_of_timer(*e, timer);
  if (index == TimerTable::kMost) return as_result(EINVAL);
  e->timers().remove(index);
  return 0;
}

// A timerfd is an eventfd into which the engine writes the expiries: what is read, polled or waited for is
// the same.
HEDDLE_EXPORT int timerfd_create(clockid_t clock, int flags) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timerfd_create)(clock, flags);
  static_assert(int{TFD_NONBLOCK} == int{EFD_NONBLOCK} && int{TFD_CLOEXEC} == int{EFD_CLOEXEC});
  if (!heddle::abi::known_clock(clock)) return as_result(EINVAL);
  e->leave_prefix();
  e->kernel_changes(SYS_eventfd2);
  const long descriptor = heddle::raw_syscall(SYS_eventfd2, 0, flags);
  if (descriptor < 0) return heddle::abi::libc_result<int>(descriptor);
  const std::uint32_t index = e->timers().add();
  e->timers().at(index).descriptor = static_cast<int>(descriptor);
  e->timers().at(index).clock = clock;
  return static_cast<int>(descriptor);
}
HEDDLE_EXPORT int timerfd_settime(int descriptor, int flags, const itimerspec* wanted,
                                  itimerspec* old) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timerfd_settime)(descriptor, flags, wanted, old);
  const std::uint32_t index = e->timers().find_descriptor(descriptor);
  if (index == TimerTable::kMost) return as_result(EBADF);
  return as_result(heddle::abi::set_timer(*e, index, (flags & TFD_TIMER_ABSTIME) != 0, wanted, old));
}
HEDDLE_EXPORT int timerfd_gettime(int descriptor, itimerspec* result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timerfd_gettime)(descriptor, result);
  const std::uint32_t index = e->timers().find_descriptor(descriptor);
  if (index == TimerTable::kMost) return as_result(EBADF);
  *result = heddle::abi::setting_of(*e, e->timers().at(index));
  return 0;
}
