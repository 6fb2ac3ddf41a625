// The pairs of places in the program between which an execution has read: where the store was made and where
// it was read. What a campaign has covered is told by them, and an execution with a new one is worth varying.
#pragma once

#include "core/base/pages.h"
#include "core/base/random.h"
#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

class ReadPairs {
 public:
  // An execution begins.
  void begin(std::uint64_t index) {
    execution_ = index;
    clear();
  }
  void performed(const Operation& operation) {
    if (operation.writes) remember_store(operation);
    if (operation.reads) count(operation);
  }
  std::uint32_t size() const { return pairs_->count; }
  // Uses the memory of another one. REQUIRES: executions take turns.
  void share(const ReadPairs& other);
  // Leaves the first `count` of the pairs, once, and says which of them no earlier round has shown.
  template <typename OnNew>
  void teach(Learning& learning, std::uint64_t index, std::uint32_t count, OnNew on_new) {
    const std::uint64_t begin = round_begin(round_of(index));
    for (std::uint32_t i = 0; i < count && i < pairs_->count; ++i) {
      const std::uint64_t pair = pairs_->table[pairs_->used[i]];
      learning.pairs().note(pair, index);
      if (!learning.pairs().known_before(pair, begin)) on_new(pair);
    }
    clear();
  }

 private:
  void clear();
  static constexpr std::uint32_t kPairs = 1024;   // kept of an execution
  static constexpr std::uint32_t kStores = 4096;  // a collision makes a store one of an unknown place
  struct Store {
    std::uint64_t key;
    std::uint64_t pc;
  };
  // Who runs an execution and who says that it is over may be two processes.
  struct Pairs {
    std::uint32_t count;
    std::uint16_t used[kPairs / 2];
    std::uint64_t table[kPairs];
  };

  Store& slot_of(ChoiceKey store) { return stores_[(store.bits * 0x9e3779b97f4a7c15ull) >> 52]; }
  // Keys come up again in the next execution.
  std::uint64_t key_of(ChoiceKey store) const { return store.bits ^ execution_ << 40; }
  void remember_store(const Operation& operation) {
    slot_of(operation.written) = {key_of(operation.written), operation.pc};
  }
  void count(const Operation& operation);

  // Shared, since private memory is put back after each execution: what is left of others costs nothing, and
  // has another key.
  Store* stores_ = static_cast<Store*>(map_shared_pages(kStores * sizeof(Store)));
  Pairs* pairs_ = static_cast<Pairs*>(map_shared_pages(sizeof(Pairs)));
  std::uint64_t execution_ = 0;
};

}  // namespace heddle::strategy
