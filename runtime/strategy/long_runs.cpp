#include "runtime/strategy/long_runs.h"

namespace heddle::strategy {

void LongRunsStrategy::start() {
  scale_ = mean_ != 0 ? mean_ : kScales[below(sizeof kScales / sizeof kScales[0])];
  reads_newest_ = below(2) == 0;
  left_ = 0;
}

// Geometric, with the mean of the scale: the number of draws until one of `scale_` comes up. Drawn by halves, so that
// it takes few draws whatever the scale is: a length is exponential with half-life h = scale * ln 2, and so is a
// number of half-lives, each with probability 1/2, with a part of one that is close to uniform.
std::uint32_t LongRunsStrategy::draw_length() {
  if (scale_ <= 1) return 0;
  const std::uint32_t half = scale_ * 693 / 1000 + 1;
  std::uint32_t length = below(half);
  for (int halves = 0; halves < 20 && below(2) == 0; ++halves) length += half;
  return length;
}

std::uint32_t LongRunsStrategy::choose_thread(const ChoicePoint& point) {
  if (point.thread_can_continue) {
    if (is_spinning(point.thread)) {
      stop_spinning(point.thread);
      left_ = 0;
    } else if (left_ != 0) {
      --left_;
      return point.fallback;
    }
  }
  left_ = draw_length();
  return below(point.count);
}

std::uint32_t LongRunsStrategy::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::kReadsFrom && reads_newest_) return point.fallback;
  if (point.kind != ChoiceKind::kThread) return below(point.count);
  const std::uint32_t picked = choose_thread(point);
  encounter(point.threads[picked]);
  return picked;
}

void LongRunsStrategy::after(const Operation& operation) {
  if (operation.kind == EventKind::kYield) left_ = 0;
}

}  // namespace heddle::strategy
