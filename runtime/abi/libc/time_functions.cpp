// Clocks and sleeping: virtual time.
#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "runtime/abi/interposed_call.h"
#include "runtime/abi/pthread/cancellation.h"
#include "runtime/abi/pthread/pthread_objects.h"

namespace heddle::abi {
namespace {

timespec to_timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
}

// Sleeps; answers what is left where a signal handler broke the sleep off, else 0.
// What a clock that began at `base` says, for the program.
std::uint64_t tell_time(engine::Execution& e, std::uint64_t base) {
  const std::uint64_t now = base + e.read_clock();
  engine::note_time(now);
  return now;
}

std::uint64_t sleep_until(engine::Execution& e, std::uint64_t time, std::uint64_t pc) {
  const std::uint32_t handled = e.self().handlers_run;
  const std::uint64_t began = e.scheduler().now();
  cancellable(e, [&] {
    e.sleep_until(time, pc);
    return 0;
  });
  act_on_cancel(e);
  if (e.self().handlers_run == handled || time <= began) return 0;
  // The handler came at some moment of the sleep. Where that is not known, the first is as good as any.
  const std::uint64_t now = e.scheduler().now();
  return time - (now < time ? now : began);
}

std::uint64_t sleep_for(engine::Execution& e, std::uint64_t nanoseconds, std::uint64_t pc) {
  return sleep_until(e, e.scheduler().now() + nanoseconds, pc);
}

// A relative sleep as libc's functions have it: EINTR, and what is left.
int sleep_or_tell(engine::Execution& e, const timespec& duration, timespec* left, std::uint64_t pc) {
  const std::uint64_t rest = sleep_for(e, nanoseconds(duration), pc);
  if (rest == 0) return 0;
  if (left != nullptr) *left = to_timespec(rest);
  return EINTR;
}

bool known_clock(clockid_t clock) { return clock < 0 || (clock <= CLOCK_TAI && clock != 10); }

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(clock_gettime)(clock, time);
  if (!heddle::abi::known_clock(clock)) {
    errno = EINVAL;
    return -1;
  }
  *time = heddle::abi::to_timespec(heddle::abi::tell_time(*e, heddle::abi::clock_base(clock)));
  HEDDLE_EXPORTED_CALL(clock_gettime).writes_object(time);
  return 0;
}

HEDDLE_EXPORT int gettimeofday(timeval* time, void* zone) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(gettimeofday)(time, zone);
  const timespec now = heddle::abi::to_timespec(heddle::abi::tell_time(*e, heddle::abi::kRealtimeBase));
  *time = {now.tv_sec, now.tv_nsec / 1000};
  HEDDLE_EXPORTED_CALL(gettimeofday).writes_object(time);
  return 0;
}

HEDDLE_EXPORT time_t time(time_t* result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(time)(result);
  const auto seconds =
      static_cast<time_t>(heddle::abi::tell_time(*e, heddle::abi::kRealtimeBase) / 1'000'000'000);
  if (result != nullptr) *result = seconds;
  HEDDLE_EXPORTED_CALL(time).writes_object(result);
  return seconds;
}

HEDDLE_EXPORT int timespec_get(timespec* time, int base) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timespec_get)(time, base);
  if (base != TIME_UTC) return 0;
  *time = heddle::abi::to_timespec(heddle::abi::tell_time(*e, heddle::abi::kRealtimeBase));
  HEDDLE_EXPORTED_CALL(timespec_get).writes_object(time);
  return base;
}

HEDDLE_EXPORT clock_t clock() noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(clock)();
  return static_cast<clock_t>(heddle::abi::tell_time(*e, 0) / 1000);
}

HEDDLE_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(nanosleep)(duration, left);
  if (!heddle::abi::valid_time(*duration) || duration->tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  const auto call = HEDDLE_EXPORTED_CALL(nanosleep);
  call.reads_object(duration);
  const int error = heddle::abi::sleep_or_tell(*e, *duration, left, HEDDLE_CALLER_PC);
  if (error != 0) call.writes_object(left);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(clock_nanosleep)(clock, flags, time, left);
  if (!heddle::abi::valid_time(*time) || time->tv_sec < 0 || !heddle::abi::known_clock(clock)) return EINVAL;
  if (clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;
  const auto call = HEDDLE_EXPORTED_CALL(clock_nanosleep);
  call.reads_object(time);
  if ((flags & TIMER_ABSTIME) == 0) {
    const int error = heddle::abi::sleep_or_tell(*e, *time, left, HEDDLE_CALLER_PC);
    if (error != 0) call.writes_object(left);
    return error;
  }
  return heddle::abi::sleep_until(*e, heddle::abi::deadline_of(*time, clock), HEDDLE_CALLER_PC) == 0 ? 0
                                                                                                     : EINTR;
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(usleep)(microseconds);
  if (heddle::abi::sleep_for(*e, std::uint64_t{microseconds} * 1000, HEDDLE_CALLER_PC) == 0) return 0;
  errno = EINTR;
  return -1;
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sleep)(seconds);
  const std::uint64_t left =
      heddle::abi::sleep_for(*e, std::uint64_t{seconds} * 1'000'000'000, HEDDLE_CALLER_PC);
  return static_cast<unsigned>((left + 999'999'999) / 1'000'000'000);
}

HEDDLE_EXPORT int thrd_sleep(const timespec* duration, timespec* left) {
  auto* e = engine();
  if (e == nullptr) {
    using Real = int(const timespec*, timespec*);
    static Real* real = heddle::abi::next_function<Real>("thrd_sleep");
    return real(duration, left);
  }
  return heddle::abi::sleep_or_tell(*e, *duration, left, HEDDLE_CALLER_PC) == 0 ? 0 : -1;
}

HEDDLE_EXPORT void thrd_yield() {
  if (auto* e = engine()) {
    e->yield(HEDDLE_CALLER_PC);
  } else {
    heddle::raw_syscall(SYS_sched_yield);
  }
}

// Processor time: virtual, too, and all of it the program's own.
HEDDLE_EXPORT clock_t times(tms* result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(times)(result);
  const auto ticks = static_cast<clock_t>(e->read_clock() / 10'000'000);  // 100 each second
  if (result != nullptr) *result = {ticks, 0, 0, 0};
  HEDDLE_EXPORTED_CALL(times).writes_object(result);
  return ticks + 100'000;
}

HEDDLE_EXPORT int getrusage(__rusage_who_t who, rusage* result) noexcept {
  const int status = HEDDLE_REAL(getrusage)(who, result);
  auto* e = engine();
  if (e == nullptr || status != 0) return status;
  const timespec now = heddle::abi::to_timespec(heddle::abi::tell_time(*e, 0));
  result->ru_utime = {now.tv_sec, now.tv_nsec / 1000};
  result->ru_stime = {};
  result->ru_minflt = result->ru_majflt = result->ru_nvcsw = result->ru_nivcsw = 0;
  HEDDLE_EXPORTED_CALL(getrusage).writes_object(result);
  return status;
}

HEDDLE_EXPORT int clock_getcpuclockid(pid_t pid, clockid_t* clock) noexcept {
  auto* e = engine();
  if (e == nullptr || (pid != 0 && pid != getpid())) return HEDDLE_REAL(clock_getcpuclockid)(pid, clock);
  *clock = CLOCK_PROCESS_CPUTIME_ID;
  return 0;
}

HEDDLE_EXPORT int clock_settime(clockid_t clock, const timespec* time) noexcept {
  if (engine() == nullptr) return HEDDLE_REAL(clock_settime)(clock, time);
  errno = EPERM;
  return -1;
}
