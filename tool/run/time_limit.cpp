#include "tool/run/time_limit.h"

#include <algorithm>
#include <limits>

#include "tool/run/interruption.h"

namespace heddle::run {
namespace {

using Clock = std::chrono::steady_clock;

using Limit = std::optional<Clock::time_point>;
// One for the process, as the command line is. Set before threads are started.
Limit of_process;
// Work in the background has one of its own, whose shares must not be those of others (background_work.h).
thread_local Limit of_thread;
thread_local TimeSlices* slices = nullptr;

Limit& current() { return slices != nullptr ? of_thread : of_process; }

Clock::time_point after(double seconds) {
  constexpr double kMost = 1e9;  // the clock counts nanoseconds
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, kMost)));
}

}  // namespace

void set_time_limit(double seconds) {
  current().reset();
  if (seconds > 0) current() = after(seconds);
}

double seconds_left() {
  const Limit& limit = current();
  if (!limit) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(*limit - Clock::now()).count();
}

TimeShare::TimeShare(double seconds) : before_(current()) {
  const auto own = after(seconds);
  if (!before_ || own < *before_) current() = own;
}

TimeShare::~TimeShare() { current() = before_; }

bool time_is_up() {
  if (slices != nullptr && !slices->goes_on()) return true;
  return was_interrupted() || seconds_left() <= 0;
}

double worked_seconds() {
  const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  return slices != nullptr ? now - slices->paused_seconds() : now;
}

void work_in_slices(TimeSlices& of) {
  of_thread = of_process;
  slices = &of;
}

}  // namespace heddle::run
