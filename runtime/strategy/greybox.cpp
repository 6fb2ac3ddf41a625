#include "runtime/strategy/greybox.h"

namespace heddle::strategy {

void GreyboxStrategy::start() {
  guide_ = second_ = {};
  next_ = 0;
  change_at_ = kNever;
  if (learning_ == nullptr || below(8) == 0) return;
  const std::uint32_t round = round_of(index_);
  std::uint16_t numbers[Corpus::kMostLogs];
  const std::uint32_t count = learning_->corpus().logs(round, round_begin(round), numbers);
  if (count == 0) return;
  guide_ = learning_->corpus().log(numbers[below(count)]);
  if (guide_.empty()) return;
  const std::uint32_t at = below(static_cast<std::uint32_t>(guide_.size()));
  switch (below(3)) {
    case 0:
      guide_ = guide_.first(at);
      return;
    case 1:
      change_at_ = at;
      return;
    default:
      second_ = learning_->corpus().log(numbers[below(count)]);
      guide_ = guide_.first(at);
      if (!second_.empty()) second_ = second_.subspan(below(static_cast<std::uint32_t>(second_.size())));
  }
}

// The next pick of the log that is on offer; where there is none among the next few, a random one.
std::uint32_t GreyboxStrategy::follow(const ChoicePoint& point) {
  if (next_ >= guide_.size() && !second_.empty()) {
    guide_ = second_;
    second_ = {};
    next_ = 0;
  }
  if (next_ == change_at_) {
    change_at_ = kNever;
    const Pick before = guide_[next_++];
    const std::uint32_t drawn = below(point.count);
    return Pick::of(point.kind, point.key(drawn)) == before ? (drawn + 1) % point.count : drawn;
  }
  for (std::uint32_t ahead = 0; ahead < kLookAhead && next_ + ahead < guide_.size(); ++ahead) {
    for (std::uint32_t i = 0; i < point.count; ++i) {
      if (Pick::of(point.kind, point.key(i)) != guide_[next_ + ahead]) continue;
      next_ += ahead + 1;
      return i;
    }
  }
  return below(point.count);
}

std::uint32_t GreyboxStrategy::choose(const ChoicePoint& point) {
  const std::uint32_t picked = follow(point);
  record_->add(point, picked);
  if (point.kind == ChoiceKind::kThread) encounter(point.threads[picked]);
  return picked;
}

}  // namespace heddle::strategy
