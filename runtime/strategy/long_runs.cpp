#include "runtime/strategy/long_runs.h"

#include "runtime/strategy/run_lengths.h"

namespace heddle::strategy {

void LongRunsStrategy::start() {
  scale_ = mean_ != 0 ? mean_ : draw_run_scale(random_);
  reads_newest_ = below(2) == 0;
  left_ = 0;
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
  left_ = draw_run_length(random_, scale_);
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
