#include "tool/run/time_limit.h"

#include <algorithm>
#include <limits>

#include "tool/run/interruption.h"

namespace heddle::run {
namespace {

using Clock = std::chrono::steady_clock;

// One for the process, as the command line is. Set before threads are started.
std::optional<Clock::time_point> limit;

Clock::time_point after(double seconds) {
  constexpr double kMost = 1e9;  // the clock counts nanoseconds
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, kMost)));
}

}  // namespace

void set_time_limit(double seconds) {
  limit.reset();
  if (seconds > 0) limit = after(seconds);
}

double seconds_left() {
  if (!limit) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(*limit - Clock::now()).count();
}

TimeShare::TimeShare(double seconds) : before_(limit) {
  const auto own = after(seconds);
  if (!limit || own < *limit) limit = own;
}

TimeShare::~TimeShare() { limit = before_; }

bool time_is_up() { return was_interrupted() || seconds_left() <= 0; }

}  // namespace heddle::run
