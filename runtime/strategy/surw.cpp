#include "runtime/strategy/surw.h"

namespace heddle::strategy {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

bool is_shared(const ProfiledPlace& place) {
  std::uint32_t threads = 0;
  for (const auto& count : place.counts) threads += count.load(kRelaxed) != 0 ? 1 : 0;
  return threads > 1 && place.writes.load(kRelaxed) != 0;
}

}  // namespace

void SurwStrategy::start() {
  selected_ = 0;
  has_next_ = false;
  profile_.clear();
  if (learning_ != nullptr && index_ >= kProfiled) select_place();
}

void SurwStrategy::find_shared_places() {
  const auto key = [](const ProfiledPlace* place) { return place->key.load(kRelaxed); };
  shared_->count = 0;
  for (std::uint32_t i = 0; i < kProfiledPlaces; ++i) {
    const ProfiledPlace* place = &learning_->places()[i];
    if (key(place) == 0 || !is_shared(*place)) continue;
    // In an order that does not depend on who came first.
    std::uint32_t at = shared_->count++;
    for (; at > 0 && key(shared_->places[at - 1]) > key(place); --at)
      shared_->places[at] = shared_->places[at - 1];
    shared_->places[at] = place;
  }
  shared_->known = true;
}

void SurwStrategy::select_place() {
  if (!shared_->known) find_shared_places();
  if (shared_->count == 0) return;
  const ProfiledPlace* drawn = shared_->places[below(shared_->count)];
  selected_ = drawn->key.load(kRelaxed);
  threads_left_ = 0;
  for (std::uint32_t t = 0; t < kProfiledThreads; ++t) {
    left_[t] = (drawn->counts[t].load(kRelaxed) + kProfiled - 1) / kProfiled;
    if (left_[t] != 0) threads_left_ = t + 1;
  }
}

// Draws who performs the next event on the selected place, by the events that threads have left.
void SurwStrategy::draw_next() {
  std::uint32_t all = 0;
  for (std::uint32_t t = 0; t < threads_left_; ++t) all += left_[t];
  has_next_ = all != 0;
  next_ = kNoThread;
  if (!has_next_) return;
  std::uint32_t at = below(all);
  for (std::uint32_t t = 0; t < threads_left_; ++t) {
    if (at < left_[t]) {
      next_ = ThreadId{static_cast<std::uint16_t>(t)};
      return;
    }
    at -= left_[t];
  }
}

std::uint32_t SurwStrategy::choose_thread(const ChoicePoint& point) {
  if (continues_locally(point)) return point.fallback;
  if (selected_ == 0) return below(point.count);
  if (!has_next_) draw_next();
  // Threads that are at the place wait until it is their turn.
  std::uint32_t free = 0;
  std::uint32_t picked = point.count;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    const ThreadId thread = point.threads[i];
    // One that spins may wait for somebody who waits here for his turn.
    if (is_spinning(thread)) continue;
    if (has_next_ && thread != next_ && is_selected(view_->next_operation(thread))) continue;
    if (below(++free) == 0) picked = i;
  }
  if (picked != point.count) return picked;
  // The estimate was wrong, or its thread is blocked or spins: another one takes the turn.
  has_next_ = false;
  return below(point.count);
}

std::uint32_t SurwStrategy::choose(const ChoicePoint& point) {
  switch (point.kind) {
    case ChoiceKind::kThread: {
      const std::uint32_t picked = choose_thread(point);
      encounter(point.threads[picked]);
      return picked;
    }
    case ChoiceKind::kReadsFrom:
      encounter(point.thread);
      if (selects_stores_ && selected_ != 0 && !is_selected(view_->next_operation(point.thread)))
        return point.fallback;
      return below(point.count);
    default:
      return below(point.count);
  }
}

void SurwStrategy::after(const Operation& operation) {
  if (index_ < kProfiled) profile_.count(operation);
  if (selected_ == 0 || operation.address != selected_) return;
  has_next_ = false;
  const std::uint32_t t = index_of(operation.thread);
  if (t < kProfiledThreads && left_[t] != 0) --left_[t];
}

}  // namespace heddle::strategy
