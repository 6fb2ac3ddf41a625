#include "runtime/strategy/replay.h"

namespace heddle::strategy {

std::uint32_t find_alternative(const ChoicePoint& point, Choice choice) {
  if (choice.kind() != point.kind) return point.count;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    if (point.key(i) == choice.picked()) return i;
  }
  return point.count;
}

void ReplayStrategy::begin(std::uint64_t, std::uint64_t, const View&) {
  next_ = 0;
  diverged_ = false;
}

std::uint32_t ReplayStrategy::choose(const ChoicePoint& point) {
  return exact_ ? choose_exact(point) : choose_guided(point);
}

std::uint32_t ReplayStrategy::choose_exact(const ChoicePoint& point) {
  if (diverged_) return point.fallback;
  if (next_ < log_.size() && log_[next_].alternatives_hash() == (point.alternatives_hash & 0xfffff)) {
    const std::uint32_t index = find_alternative(point, log_[next_]);
    if (index < point.count) {
      ++next_;
      return index;
    }
  }
  diverged_ = true;
  return point.fallback;
}

std::uint32_t ReplayStrategy::choose_guided(const ChoicePoint& point) {
  if (next_ < log_.size()) {
    const std::uint32_t index = find_alternative(point, log_[next_]);
    if (index < point.count) {
      ++next_;
      return index;
    }
  }
  return point.fallback;
}

}  // namespace heddle::strategy
