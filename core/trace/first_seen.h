// Which execution showed each of many things first, in memory that all workers share. Executions may say so
// in any order: the smallest index wins, so that what the table holds when a round is over does not depend on
// timing. All zero is an empty table.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

template <std::uint32_t kSlots>
class FirstSeen {
  static_assert((kSlots & (kSlots - 1)) == 0);

 public:
  // REQUIRES: key != 0. False: there is no room for one more.
  bool note(std::uint64_t key, std::uint64_t index) {
    Slot* slot = nullptr;
    for (std::uint32_t tries = 0; tries < kMostTries && slot == nullptr; ++tries) {
      Slot& here = slots_[(start(key) + tries) % kSlots];
      std::uint64_t found = here.key.load(std::memory_order_relaxed);
      if (found == 0 && here.key.compare_exchange_strong(found, key)) {
        count_.fetch_add(1, std::memory_order_relaxed);
        found = key;
      }
      if (found == key) slot = &here;
    }
    if (slot == nullptr) return false;
    const std::uint64_t order = ~index;
    std::uint64_t known = slot->order.load(std::memory_order_relaxed);
    while (known < order && !slot->order.compare_exchange_weak(known, order)) {
    }
    return true;
  }

  // Was this execution the first, of those that have said so?
  bool is_first(std::uint64_t key, std::uint64_t index) const {
    const Slot* slot = find(key);
    return slot != nullptr && slot->order.load(std::memory_order_relaxed) == ~index;
  }

  // … or was there one with a smaller index than this? Of rounds that are over the answer is known for good.
  bool known_before(std::uint64_t key, std::uint64_t index) const {
    const Slot* slot = find(key);
    return slot != nullptr && ~slot->order.load(std::memory_order_relaxed) < index;
  }

  // Different ones.
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kMostTries = 1024;
  struct Slot {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> order;  // ~index of the first execution: the largest wins
  };
  const Slot* find(std::uint64_t key) const {
    for (std::uint32_t tries = 0; tries < kMostTries; ++tries) {
      const Slot& here = slots_[(start(key) + tries) % kSlots];
      const std::uint64_t found = here.key.load(std::memory_order_relaxed);
      if (found == key) return &here;
      if (found == 0) return nullptr;
    }
    return nullptr;
  }
  static std::uint32_t start(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32) % kSlots; }

  std::atomic<std::uint64_t> count_;
  Slot slots_[kSlots];
};

}  // namespace heddle
