// Choice points for tests of strategies.
#pragma once

#include <vector>

#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

struct NoView final : View {
  NextOperation next_operation(ThreadId) const override { return {}; }
  std::uint32_t unfinished_threads() const override { return 2; }
  std::uint32_t latest_stores(std::uint32_t*, std::uint32_t) const override { return 0; }
  std::uint32_t nearest_store(ChoiceKey) const override { return 0; }
  bool store_precedes(const Location&, ChoiceKey, ChoiceKey) const override { return false; }
};
inline constexpr NoView kNoView;

// A choice among these threads; the first of them is the unsurprising one.
class ThreadPoint {
 public:
  ThreadPoint(const std::vector<std::uint16_t>& threads, std::uint32_t hash) {
    for (const std::uint16_t t : threads) threads_.push_back(ThreadId{t});
    point_.kind = ChoiceKind::kThread;
    point_.count = static_cast<std::uint32_t>(threads_.size());
    point_.alternatives_hash = hash;
    point_.threads = threads_.data();
  }
  ThreadPoint(const ThreadPoint&) = delete;
  ThreadPoint& operator=(const ThreadPoint&) = delete;
  operator const ChoicePoint&() const { return point_; }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<ThreadId> threads_;
  ChoicePoint point_;
};

inline ChoicePoint value_point(std::uint32_t count, std::uint32_t hash = 1) {
  ChoicePoint point;
  point.kind = ChoiceKind::kValue;
  point.count = count;
  point.alternatives_hash = hash;
  return point;
}

inline Choice thread_choice(std::uint16_t thread, std::uint32_t hash) {
  return Choice::make(ChoiceKind::kThread, hash, ChoiceKey::thread(ThreadId{thread}));
}

}  // namespace heddle::strategy
