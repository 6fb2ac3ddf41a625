#include "runtime/memory/total_order.h"

#include <algorithm>

namespace heddle::memory {
namespace {

constexpr std::uint32_t kFirstFences = 16;

}  // namespace

void TotalOrder::reset() {
  last_ = last_fence_ = 0;
  inserted_count_ = 0;
  fences_ = nullptr;
  fence_count_ = fence_capacity_ = 0;
  ring_[0] = {};
}

SeqTime TotalOrder::oldest() const {
  if (last_ > kLimit) return last_;
  return last_ <= kKept * kGap ? kGap : last_ - (kKept - 1) * kGap;
}

TotalOrder::Window TotalOrder::window() {
  if (last_ == 0 || last_ > kLimit) return {window_, 0, last_ == 0};
  const SeqTime first = oldest();
  const bool whole = first == kGap;
  std::uint32_t next = 0;
  while (!whole && next < inserted_count_ && inserted_[next].time < first) ++next;
  std::uint32_t count = 0;
  for (SeqTime time = first;; time += kGap) {
    for (; next < inserted_count_ && inserted_[next].time < time; ++next) window_[count++] = inserted_[next];
    static_cast<SeqEvent&>(window_[count]) = at(time);
    window_[count++].time = time;
    if (time == last_) break;
  }
  return {window_, count, whole};
}

void TotalOrder::forget_old() {
  const SeqTime first = oldest();
  if (first == kGap) return;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < inserted_count_; ++i) {
    if (inserted_[i].time > first) inserted_[kept++] = inserted_[i];
  }
  inserted_count_ = kept;
  std::uint32_t gone = 0;
  while (gone + 1 < fence_count_ && fences_[gone + 1].time < first) views_.release(fences_[gone++].g);
  std::copy(fences_ + gone, fences_ + fence_count_, fences_);
  fence_count_ -= gone;
}

void TotalOrder::insert(SeqTime time, const Location* x, std::uint32_t store, SeqTime previous,
                        std::uintptr_t what) {
  std::uint32_t at = inserted_count_++;
  for (; at != 0 && inserted_[at - 1].time > time; --at) inserted_[at] = inserted_[at - 1];
  static_cast<SeqEvent&>(inserted_[at]) = {reinterpret_cast<std::uintptr_t>(x) | what, store, previous};
  inserted_[at].time = time;
  if (inserted_count_ == kMostInserted) forget_old();
}

void TotalOrder::add_fence(std::uint32_t at, const Fence& fence) {
  if (fence_count_ == fence_capacity_) {
    const std::uint32_t capacity = fence_capacity_ == 0 ? kFirstFences : fence_capacity_ * 2;
    auto* const room = arena_.allocate_array<Fence>(capacity);
    std::copy_n(fences_, fence_count_, room);
    if (fence_capacity_ != 0) arena_.release_array(fences_, fence_capacity_);
    fences_ = room;
    fence_capacity_ = capacity;
  }
  std::copy_backward(fences_ + at, fences_ + fence_count_, fences_ + fence_count_ + 1);
  fences_[at] = fence;
  ++fence_count_;
}

SeqTime TotalOrder::append_fence(View* g) {
  last_ += last_ < kLimit ? kGap : 1;
  at(last_) = {};
  if (fence_count_ == fence_capacity_) forget_old();
  add_fence(fence_count_, {last_, g});
  return last_fence_ = last_;
}

View* TotalOrder::fence_view(SeqTime time) const {
  std::uint32_t i = fence_count_;
  while (i != 0 && fences_[i - 1].time > time) --i;
  return i == 0 ? nullptr : fences_[i - 1].g;
}

bool TotalOrder::may_insert_fence(SeqTime time, std::uint32_t width) const {
  for (std::uint32_t i = fence_count_; i != 0; --i) {
    if (fences_[i - 1].time <= time) break;
    if (!ViewPool::fits(*fences_[i - 1].g, width)) return false;
  }
  return true;
}

View* TotalOrder::insert_fence(SeqTime time, const std::uint32_t* clock, const std::uint32_t* g,
                               std::uint32_t width) {
  insert(time, nullptr, 0, 0, 0);
  std::uint32_t at = fence_count_;
  for (; at != 0 && fences_[at - 1].time > time; --at) views_.join_into(*fences_[at - 1].g, clock, width);
  View* const view = views_.make(g, width, nullptr, nullptr);
  add_fence(at, {time, view});
  last_fence_ = std::max(last_fence_, time);
  return view;
}

void TotalOrder::forget(const Location& x) {
  for (SeqEvent& event : ring_) {
    if (event.location() == &x) event = {};
  }
  for (std::uint32_t i = 0; i < inserted_count_; ++i) {
    if (inserted_[i].location() == &x) static_cast<SeqEvent&>(inserted_[i]) = {};
  }
}

}  // namespace heddle::memory
