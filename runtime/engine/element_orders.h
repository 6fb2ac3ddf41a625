// How far the orders that an execution is held to have come (core/trace/orders.h). Answers whose turn it is
// at an element; holds back nobody itself.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/orders.h"

namespace heddle::engine {

class ElementOrders {
 public:
  // `table` lies in the channel and stays valid; nullptr: there are no orders. `profiles`: its vectors only
  // name elements, and nobody is held to them: OrderVector::reached is to say which were seen shared.
  void start(OrderTable* table, bool profiles);
  bool any() const { return table_ != nullptr && !profiles_; }
  bool profiles() const { return profiles_; }
  void saw_shared(std::uint32_t vector) { table_->vector()[vector].reached = 1; }
  // … by threads alone, where no address is known.
  void saw(std::uint32_t vector, ThreadId thread) {
    if (at_[vector] == 0) at_[vector] = index_of(thread) + 1;
    if (at_[vector] != index_of(thread) + 1) saw_shared(vector);
  }

  static constexpr std::uint32_t kNone = ~0u;
  // The vector of an element, or kNone.
  std::uint32_t find(std::uint64_t element) const;

  // May this thread come to the element next?
  bool is_turn(std::uint32_t vector, std::uint64_t lineage) const;
  // It has.
  void passed(std::uint32_t vector, std::uint64_t lineage);
  // All accesses of the vector were made, and nothing is said of those that come later.
  bool is_over(std::uint32_t vector) const { return at_[vector] == table_->vector()[vector].count; }
  // … which are free from here on.
  void release_rest() { rest_is_free_ = true; }
  bool rest_is_free() const { return rest_is_free_; }

 private:
  std::uint32_t group_end(const OrderVector& vector, std::uint32_t from) const;

  OrderTable* table_ = nullptr;
  std::uint32_t* at_ = nullptr;       // by vector: the first run of the group whose turn it is
  std::uint32_t* reached_ = nullptr;  // by vector: accesses that were made, for the channel
  std::uint32_t* made_ = nullptr;     // by run: accesses that were made of it
  bool rest_is_free_ = false;
  bool profiles_ = false;
};

}  // namespace heddle::engine
