// Timers of the program (alarm, setitimer, timer_create, timerfd) in virtual time.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/limit.h"

namespace heddle::sched {

inline constexpr std::uint64_t kTimerOff = ~0ull;

struct Timer {
  bool used = false;
  std::uint64_t next = kTimerOff;  // virtual time of the next expiry
  std::uint64_t interval = 0;      // 0: once
  int descriptor = -1;             // a timerfd's: takes the number of expiries; -1: a signal instead
  int signal = 0;                  // 0: nothing happens (SIGEV_NONE)
  ThreadId target = kNoThread;     // SIGEV_THREAD_ID
  void* value = nullptr;
  int clock = 0;
  std::uint32_t overruns = 0;
};

class TimerTable {
 public:
  static constexpr std::uint32_t kMost = 256;
  static constexpr std::uint32_t kFirstFree = 3;  // after ITIMER_REAL, ITIMER_VIRTUAL and ITIMER_PROF

  Timer& at(std::uint32_t index) { return timers_[index]; }
  std::uint32_t add() {
    for (std::uint32_t i = kFirstFree; i < kMost; ++i) {
      if (timers_[i].used) continue;
      timers_[i] = Timer{};
      timers_[i].used = true;
      return i;
    }
    limit_reached("timers at once (253)", "Let the test use fewer, or delete them before it makes more.");
  }
  std::uint32_t find_descriptor(int descriptor) const {
    for (std::uint32_t i = kFirstFree; i < kMost; ++i) {
      if (timers_[i].used && timers_[i].descriptor == descriptor) return i;
    }
    return kMost;
  }
  void set(std::uint32_t index, std::uint64_t next, std::uint64_t interval) {
    timers_[index].next = next;
    timers_[index].interval = interval;
    timers_[index].overruns = 0;
    update();
  }
  void remove(std::uint32_t index) {
    timers_[index] = Timer{};
    update();
  }
  std::uint64_t earliest() const { return earliest_; }
  // The first timer that has expired by `now`, moved on to its next expiry; kMost if there is none.
  // `times`: how often it has expired since.
  std::uint32_t expire(std::uint64_t now, std::uint64_t& times) {
    for (std::uint32_t i = 0; i < kMost; ++i) {
      Timer& t = timers_[i];
      if (t.next > now) continue;
      times = t.interval == 0 ? 1 : 1 + (now - t.next) / t.interval;
      t.next = t.interval == 0 ? kTimerOff : t.next + times * t.interval;
      update();
      return i;
    }
    return kMost;
  }

 private:
  void update() {
    earliest_ = kTimerOff;
    for (const Timer& t : timers_) earliest_ = t.next < earliest_ ? t.next : earliest_;
  }

  std::uint64_t earliest_ = kTimerOff;
  Timer timers_[kMost];
};

}  // namespace heddle::sched
