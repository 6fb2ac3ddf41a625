#include "runtime/strategy/pct.h"

namespace heddle::strategy {

void PctStrategy::start() {
  PriorityStrategy::start();
  begin_ = 0;
  length_ = parameters_.events;
  if (length_ == 0) length_ = learned_events();
  if (parameters_.dynamic && length_ > kFirstDynamicEvents) length_ /= 2;
  if (length_ == 0) length_ = parameters_.dynamic ? kFirstDynamicEvents : kFirstEvents;
  if (parameters_.once)
    draw_points_once(parameters_.depth - 1, length_);
  else
    draw_points(parameters_.depth - 1, length_);
  set_period(length_);
}

bool PctStrategy::meet(ThreadId thread, const NextOperation&) {
  if (parameters_.dynamic && events_ - begin_ > length_) {
    begin_ += length_;
    length_ = begin_;
    draw_points(parameters_.depth - 1, length_);
  }
  if (is_period(events_)) ask_for_random_thread();
  return change_at(events_ - begin_, thread);
}

}  // namespace heddle::strategy
