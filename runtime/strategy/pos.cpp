#include "runtime/strategy/pos.h"

namespace heddle::strategy {

std::uint32_t PosStrategy::choose(const ChoicePoint& point) {
  if (point.kind != ChoiceKind::kThread) return below(point.count);
  if (continues_locally(point)) return point.fallback;
  std::uint32_t best = 0;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    std::uint64_t& priority = priorities_[point.threads[i]];
    if (priority == 0) priority = random_.next() | 1;
    if (priority > priorities_[point.threads[best]]) best = i;
  }
  // A thread that waits in a loop draws anew each time, and the others come to run.
  encounter(point.threads[best]);
  return best;
}

void PosStrategy::after(const Operation& operation) {
  priorities_[operation.thread] = 0;
  const NextOperation performed{operation.kind, operation.order, operation.location.size, operation.address,
                                0};
  for (std::uint32_t i = 0; i < priorities_.size(); ++i) {
    const ThreadId other{static_cast<std::uint16_t>(i)};
    if (other != operation.thread && priorities_[other] != 0 &&
        conflict(performed, view_->next_operation(other)))
      priorities_[other] = 0;
  }
}

}  // namespace heddle::strategy
