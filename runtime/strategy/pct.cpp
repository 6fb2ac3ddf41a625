#include "runtime/strategy/pct.h"

namespace heddle::strategy {

void PctStrategy::start() {
  PriorityStrategy::start();
  std::uint32_t length = parameters_.events;
  if (length == 0) length = learned_events();
  if (length == 0) length = kFirstEvents;
  if (parameters_.once)
    draw_points_once(parameters_.depth - 1, length);
  else
    draw_points(parameters_.depth - 1, length);
  set_period(length);
}

bool PctStrategy::meet(ThreadId thread, const NextOperation&) {
  if (is_period(events_)) ask_for_random_thread();
  return change_at(events_, thread);
}

}  // namespace heddle::strategy
