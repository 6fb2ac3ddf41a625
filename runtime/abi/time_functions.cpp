// Clocks and sleeping: virtual time.
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/abi/pthread_objects.h"

namespace heddle::abi {
namespace {

timespec to_timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / 1'000'000'000), static_cast<long>(nanoseconds % 1'000'000'000)};
}

void sleep_for(engine::Execution& e, std::uint64_t nanoseconds, std::uint64_t pc) {
  e.sleep_until(e.scheduler().now() + nanoseconds, pc);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(clock_gettime)(clock, time);
  *time = heddle::abi::to_timespec(heddle::abi::clock_base(clock) + e->read_clock());
  return 0;
}

HEDDLE_EXPORT int gettimeofday(timeval* time, void* zone) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(gettimeofday)(time, zone);
  const timespec now = heddle::abi::to_timespec(heddle::abi::kRealtimeBase + e->read_clock());
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

HEDDLE_EXPORT time_t time(time_t* result) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(time)(result);
  const auto seconds = static_cast<time_t>((heddle::abi::kRealtimeBase + e->read_clock()) / 1'000'000'000);
  if (result != nullptr) *result = seconds;
  return seconds;
}

HEDDLE_EXPORT int timespec_get(timespec* time, int base) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(timespec_get)(time, base);
  if (base != TIME_UTC) return 0;
  *time = heddle::abi::to_timespec(heddle::abi::kRealtimeBase + e->read_clock());
  return base;
}

HEDDLE_EXPORT clock_t clock() noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(clock)();
  return static_cast<clock_t>(e->read_clock() / 1000);
}

HEDDLE_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(nanosleep)(duration, left);
  if (!heddle::abi::valid_time(*duration) || duration->tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  heddle::abi::sleep_for(*e, heddle::abi::nanoseconds(*duration), HEDDLE_CALLER_PC);
  return 0;
}

HEDDLE_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(clock_nanosleep)(clock, flags, time, left);
  if (!heddle::abi::valid_time(*time)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0) {
    e->sleep_until(heddle::abi::deadline_of(*time, clock), HEDDLE_CALLER_PC);
  } else {
    heddle::abi::sleep_for(*e, heddle::abi::nanoseconds(*time), HEDDLE_CALLER_PC);
  }
  return 0;
}

HEDDLE_EXPORT int usleep(useconds_t microseconds) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(usleep)(microseconds);
  heddle::abi::sleep_for(*e, std::uint64_t{microseconds} * 1000, HEDDLE_CALLER_PC);
  return 0;
}

HEDDLE_EXPORT unsigned sleep(unsigned seconds) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sleep)(seconds);
  heddle::abi::sleep_for(*e, std::uint64_t{seconds} * 1'000'000'000, HEDDLE_CALLER_PC);
  return 0;
}

HEDDLE_EXPORT int thrd_sleep(const timespec* duration, timespec* left) {
  auto* e = engine();
  if (e == nullptr) {
    using Real = int(const timespec*, timespec*);
    static Real* real = heddle::abi::next_function<Real>("thrd_sleep");
    return real(duration, left);
  }
  heddle::abi::sleep_for(*e, heddle::abi::nanoseconds(*duration), HEDDLE_CALLER_PC);
  return 0;
}

HEDDLE_EXPORT void thrd_yield() {
  if (auto* e = engine()) {
    e->yield(HEDDLE_CALLER_PC);
  } else {
    heddle::raw_syscall(SYS_sched_yield);
  }
}
