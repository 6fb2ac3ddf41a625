// What executions have shown of the code of operations, in memory that all workers share: which place of the
// program comes after which, and how often one run of an operation comes to a place. Structure trees are made
// of it (runtime/strategy/structure_tree.h).
//
// As in FirstSeen the smallest index wins, so that what earlier rounds have shown does not depend on timing.
// Where a fact lies in the table does: who reads it must not depend on the order. All zero is an empty table.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/random.h"

namespace heddle {

struct CodeFact {
  enum Kind : std::uint32_t {
    kFollows = 1,  // place `second` came after `first`; 0: the operation's beginning or its end
    kVisits = 2,   // one run of the operation came to place `first` `second` times
  };
  std::uint32_t operation;
  Kind kind;
  std::uint64_t first;
  std::uint64_t second;

  std::uint64_t key() const {
    return mix(mix(first, second), (static_cast<std::uint64_t>(operation) << 8) | kind) | 1;
  }
};

class CodeFacts {
 public:
  // Without room for one more it is forgotten.
  void note(const CodeFact& fact, std::uint64_t index) {
    const std::uint64_t key = fact.key();
    for (std::uint32_t tries = 0; tries < kMostTries; ++tries) {
      Slot& slot = slots_[((key >> 32) + tries) % kSlots];
      std::uint64_t found = slot.key.load(kRelaxed);
      if (found == 0 && slot.key.compare_exchange_strong(found, key)) {
        slot.what.store((static_cast<std::uint64_t>(fact.operation) << 8) | fact.kind, kRelaxed);
        slot.first.store(fact.first, kRelaxed);
        slot.second.store(fact.second, kRelaxed);
        found = key;
      }
      if (found != key) continue;
      const std::uint64_t order = ~index;
      std::uint64_t known = slot.order.load(kRelaxed);
      while (known < order && !slot.order.compare_exchange_weak(known, order)) {
      }
      return;
    }
  }

  // Hands on the facts that executions with a smaller index have shown. REQUIRES: all of these are over.
  template <typename Use>
  void for_each_before(std::uint64_t index, Use use) const {
    for (const Slot& slot : slots_) {
      if (slot.key.load(kRelaxed) == 0 || ~slot.order.load(kRelaxed) >= index) continue;
      const std::uint64_t what = slot.what.load(kRelaxed);
      use(CodeFact{static_cast<std::uint32_t>(what >> 8), static_cast<CodeFact::Kind>(what & 0xff),
                   slot.first.load(kRelaxed), slot.second.load(kRelaxed)});
    }
  }

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  static constexpr std::uint32_t kSlots = 1u << 13;
  static constexpr std::uint32_t kMostTries = 1024;
  struct Slot {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> order;  // ~index of the first execution: the largest wins
    std::atomic<std::uint64_t> what;
    std::atomic<std::uint64_t> first;
    std::atomic<std::uint64_t> second;
  };
  Slot slots_[kSlots];
};

}  // namespace heddle
