// The time that the user gave to a command (--time). A command has one, and whatever it calls keeps to it:
// loops of searches and solvers ask time_is_up().
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace heddle::run {

// From now on. 0: no limit.
void set_time_limit(double seconds);
// Infinite where there is no limit; negative when it has passed.
double seconds_left();
// The limit has passed, or the user has interrupted the command.
bool time_is_up();

// Gives a part of the command's work a share of its time, for as long as this lives.
class TimeShare {
 public:
  explicit TimeShare(double seconds);
  ~TimeShare();
  TimeShare(const TimeShare&) = delete;
  TimeShare& operator=(const TimeShare&) = delete;

 private:
  std::optional<std::chrono::steady_clock::time_point> before_;
};

// For loops whose rounds cost less than a look at the clock.
class TimeSampler {
 public:
  bool is_up() {
    constexpr std::uint32_t kEvery = 256;
    if (++rounds_ % kEvery == 0) is_up_ = time_is_up();
    return is_up_;
  }

 private:
  std::uint32_t rounds_ = 0;
  bool is_up_ = false;
};

}  // namespace heddle::run
