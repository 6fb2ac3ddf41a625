#include "tool/run/time_limit.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "tool/run/interruption.h"
#include "tool/run/processor_time.h"

namespace heddle::run {
namespace {

using Limit = std::optional<double>;  // by budget_seconds()
// One for the process, as the command line is. Set before threads are started.
Limit of_process;
// Work in the background has one of its own, whose shares must not be those of others (background_work.h).
thread_local Limit of_thread;
thread_local TimeSlices* slices = nullptr;
bool by_work = false;  // of the process, as the command line is

Limit& current() { return slices != nullptr ? of_thread : of_process; }

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void set_time_limit(double seconds) {
  current().reset();
  if (seconds > 0) current() = budget_seconds() + seconds;
}

void set_work_limit(double seconds) {
  by_work = true;
  set_time_limit(seconds);
}

double budget_seconds() { return by_work ? processor_seconds() : wall_seconds(); }

double seconds_left() {
  const Limit& limit = current();
  if (!limit) return std::numeric_limits<double>::infinity();
  return *limit - budget_seconds();
}

TimeShare::TimeShare(double seconds) : before_(current()) {
  const double own = budget_seconds() + seconds;
  if (!before_ || own < *before_) current() = own;
}

TimeShare::~TimeShare() { current() = before_; }

bool time_is_up() {
  if (slices != nullptr && !slices->goes_on()) return true;
  return was_interrupted() || seconds_left() <= 0;
}

double worked_seconds() {
  const double now = wall_seconds();
  return slices != nullptr ? now - slices->paused_seconds() : now;
}

void work_in_slices(TimeSlices& of) {
  of_thread = of_process;
  slices = &of;
}

}  // namespace heddle::run
