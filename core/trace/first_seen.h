// Which execution showed each of many things first, in memory that all workers share. Executions may say so
// in any order: the smallest index wins, so that what the table holds when a round is over does not depend on
// timing. All zero is an empty table.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace heddle {

namespace first_seen {

struct Slot {
  std::atomic<std::uint64_t> key;
  std::atomic<std::uint64_t> order;  // ~index of the first execution: the largest wins
  std::uint64_t first() const { return ~order.load(std::memory_order_relaxed); }
};

inline constexpr std::uint32_t kMostTries = 1024;
inline std::uint32_t start(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }

enum class Noted : std::uint8_t { kNoRoom, kAgain, kAsNew };

// REQUIRES: key != 0; `count` is a power of two.
inline Noted note(Slot* slots, std::uint32_t count, std::uint64_t key, std::uint64_t index) {
  Slot* slot = nullptr;
  Noted noted = Noted::kAgain;
  for (std::uint32_t tries = 0; tries < kMostTries && slot == nullptr; ++tries) {
    Slot& here = slots[(start(key) + tries) & (count - 1)];
    std::uint64_t found = here.key.load(std::memory_order_relaxed);
    if (found == 0 && here.key.compare_exchange_strong(found, key)) {
      noted = Noted::kAsNew;
      found = key;
    }
    if (found == key) slot = &here;
  }
  if (slot == nullptr) return Noted::kNoRoom;
  const std::uint64_t order = ~index;
  std::uint64_t known = slot->order.load(std::memory_order_relaxed);
  while (known < order && !slot->order.compare_exchange_weak(known, order)) {
  }
  return noted;
}

inline const Slot* find(const Slot* slots, std::uint32_t count, std::uint64_t key) {
  for (std::uint32_t tries = 0; tries < kMostTries; ++tries) {
    const Slot& here = slots[(start(key) + tries) & (count - 1)];
    const std::uint64_t found = here.key.load(std::memory_order_relaxed);
    if (found == key) return &here;
    if (found == 0) return nullptr;
  }
  return nullptr;
}

}  // namespace first_seen

template <std::uint32_t kSlots>
class FirstSeen {
  static_assert(std::has_single_bit(kSlots));

 public:
  // REQUIRES: key != 0. False: there is no room for one more.
  bool note(std::uint64_t key, std::uint64_t index) {
    const first_seen::Noted noted = first_seen::note(slots_, kSlots, key, index);
    if (noted == first_seen::Noted::kAsNew) count_.fetch_add(1, std::memory_order_relaxed);
    return noted != first_seen::Noted::kNoRoom;
  }

  // Was this execution the first, of those that have said so?
  bool is_first(std::uint64_t key, std::uint64_t index) const {
    const first_seen::Slot* slot = first_seen::find(slots_, kSlots, key);
    return slot != nullptr && slot->first() == index;
  }

  // Was there one with a smaller index than this? Of rounds that are over the answer is known for good.
  bool known_before(std::uint64_t key, std::uint64_t index) const {
    const first_seen::Slot* slot = first_seen::find(slots_, kSlots, key);
    return slot != nullptr && slot->first() < index;
  }

  // Different ones.
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> count_;
  first_seen::Slot slots_[kSlots];
};

// A FirstSeen for one thing of each execution. Most campaigns have few executions, and some have many. So there
// are several tables, each four times as large as the one before, and each for the executions that come after
// those of the one before. The first thousands of executions touch a few dozen pages. That counts: a page that
// is touched for the first time costs the executions that are put back in process a walk over all page tables.
template <std::uint64_t kExecutions>
class FirstSeenByExecution {
  static constexpr std::uint64_t kFirstExecutions = 256;
  static constexpr std::uint32_t kSlotsForEach = 4;  // there is always a free one
  static constexpr std::uint32_t level_of(std::uint64_t index) {
    if (index < kFirstExecutions) return 0;
    return static_cast<std::uint32_t>(std::bit_width(index / kFirstExecutions) + 1) / 2;
  }
  static constexpr std::uint32_t slots_of(std::uint32_t level) {
    return static_cast<std::uint32_t>(kFirstExecutions * kSlotsForEach) << (2 * level);
  }
  // The tables before it: a geometric series.
  static constexpr std::uint32_t begin_of(std::uint32_t level) { return (slots_of(level) - slots_of(0)) / 3; }
  static constexpr std::uint32_t kLevels = level_of(kExecutions - 1) + 1;
  static_assert(level_of(kExecutions) == kLevels, "the last table is used to its end");

 public:
  // REQUIRES: key != 0, index < kExecutions.
  void note(std::uint64_t key, std::uint64_t index) {
    const std::uint32_t level = level_of(index);
    // What is in an earlier table is of an earlier execution.
    for (std::uint32_t i = 0; i < level; ++i) {
      if (find(i, key) != nullptr) return;
    }
    first_seen::note(slots_ + begin_of(level), slots_of(level), key, index);
  }

  bool is_first(std::uint64_t key, std::uint64_t index) const {
    const first_seen::Slot* slot = find_first(key, level_of(index));
    return slot != nullptr && slot->first() == index;
  }

  bool known_before(std::uint64_t key, std::uint64_t index) const {
    const first_seen::Slot* slot = find_first(key, index < kExecutions ? level_of(index) : kLevels - 1);
    return slot != nullptr && slot->first() < index;
  }

 private:
  const first_seen::Slot* find(std::uint32_t level, std::uint64_t key) const {
    return first_seen::find(slots_ + begin_of(level), slots_of(level), key);
  }
  const first_seen::Slot* find_first(std::uint64_t key, std::uint32_t last_level) const {
    for (std::uint32_t level = 0; level <= last_level; ++level) {
      if (const first_seen::Slot* slot = find(level, key); slot != nullptr) return slot;
    }
    return nullptr;
  }

  first_seen::Slot slots_[begin_of(kLevels)];
};

}  // namespace heddle
