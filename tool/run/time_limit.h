// The time that the user gave to a command (--time). A command has one, and whatever it calls keeps to it:
// loops of searches and solvers ask time_is_up().
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::run {

// From now on. 0: no limit.
void set_time_limit(double seconds);
// From now on budgets are of the processors' time, of this process and of all that it starts: what a busy machine takes
// longer for is done all the same.
void set_work_limit(double seconds);
// The clock that budgets are measured by: it passes as time does, or as the processors are used.
double budget_seconds();
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
  std::optional<double> before_;  // by budget_seconds()
};

// A clock that stands still while work in the background is paused.
double worked_seconds();

// Work of a thread that runs in slices of time (background_work.h): time_is_up() asks it, and may wait in it.
class TimeSlices {
 public:
  // False: the work is to end.
  virtual bool goes_on() = 0;
  virtual double paused_seconds() const = 0;

 protected:
  ~TimeSlices() = default;
};
// From now on the calling thread works so, and has a time limit of its own, which begins as the process'.
void work_in_slices(TimeSlices& of);

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
