#include "runtime/strategy/priorities.h"

namespace heddle::strategy {

void PriorityStrategy::start() {
  forget_points();
  period_ = 0;
  random_thread_ = false;
}

void PriorityStrategy::forget_points() {
  priorities_.clear();
  point_count_ = 0;
  for (std::uint32_t& point : points_) point = 0;
  lowest_ = 0;
}

void PriorityStrategy::draw_points(std::uint32_t count, std::uint32_t among, Random& random) {
  point_count_ = 0;
  if (count > kMostPoints) count = kMostPoints;
  if (count > among) count = among;
  while (point_count_ < count) {
    const std::uint32_t drawn = 1 + random.below(among);
    bool is_new = true;
    for (std::uint32_t i = 0; i < point_count_; ++i) is_new = is_new && points_[i] != drawn;
    if (is_new) points_[point_count_++] = drawn;
  }
}

void PriorityStrategy::spread_points(std::uint32_t count, std::uint32_t from, std::uint32_t before,
                                     std::uint32_t now) {
  point_count_ = count < kMostPoints ? count : kMostPoints;
  for (std::uint32_t i = 0; i < point_count_; ++i) {
    // 0: there was no event left for it.
    if (points_[i] != 0 && below(now - from) < before - from) continue;
    const std::uint32_t drawn = before + 1 + below(now - before);
    bool is_new = true;
    for (std::uint32_t k = 0; k < point_count_; ++k) is_new = is_new && points_[k] != drawn;
    if (is_new) points_[i] = drawn;
  }
}

bool PriorityStrategy::change_at(std::uint32_t event, ThreadId thread) {
  for (std::uint32_t i = 0; i < point_count_; ++i) {
    if (points_[i] != event) continue;
    // threads[d − k]: the slots of the tuple are below all threads that were not put off.
    priorities_[thread] = static_cast<std::int64_t>(point_count_ - i);
    return true;
  }
  return false;
}

std::uint32_t PriorityStrategy::highest(const ChoicePoint& point) {
  // Random keys order threads as inserting each at a random place of a list would.
  constexpr std::uint64_t kAboveSlots = 1ull << 40;
  std::uint32_t best = 0;
  std::int64_t best_priority = 0;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    std::int64_t& priority = priorities_[point.threads[i]];
    if (priority == 0) priority = static_cast<std::int64_t>(kAboveSlots + (random_.next() >> 2));
    if (i == 0 || priority > best_priority) {
      best = i;
      best_priority = priority;
    }
  }
  return best;
}

std::uint32_t PriorityStrategy::choose_thread(const ChoicePoint& point) {
  if (continues_locally(point)) return point.fallback;
  for (;;) {
    const std::uint32_t best = highest(point);
    const ThreadId thread = point.threads[best];
    if (is_spinning(thread)) {
      stop_spinning(thread);
      priorities_[thread] = --lowest_;
      on_forced(thread);
      continue;
    }
    if (encounter(thread)) continue;
    if (!random_thread_) return best;
    random_thread_ = false;
    const std::uint32_t other = below(point.count);
    encounter(point.threads[other]);
    on_forced(point.threads[other]);
    return other;
  }
}

std::uint32_t PriorityStrategy::choose(const ChoicePoint& point) {
  switch (point.kind) {
    case ChoiceKind::kThread:
      return choose_thread(point);
    case ChoiceKind::kReadsFrom:
      encounter(point.thread);
      return choose_store(point);
    default:
      return below(point.count);
  }
}

}  // namespace heddle::strategy
