// Orders in which threads come to shared program elements, that an execution is held to
// (RunSpec::element_points, the channel's section `orders`). What is not ordered so is the strategy's to
// decide.
//
//   OrderTable | OrderVector[], by element | OrderRun[]
//
// Like rules (enforcement.h) they take choices away and add none: the choices of an execution that was held
// to orders replay without them.
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace heddle {

// A thread by its parent and its number among the parent's children, from 1: a name that no schedule changes.
constexpr std::uint64_t kMainLineage = 0x6c696e65616765ull;
constexpr std::uint64_t lineage_of_child(std::uint64_t parent, std::uint32_t number) {
  return mix(parent, number);
}

// So many accesses in a row by one thread.
struct OrderRun {
  std::uint64_t lineage = 0;
  std::uint32_t accesses = 0;
  std::uint32_t with_last = 0;  // may come in any order with the run before it
};

struct OrderVector {
  std::uint64_t element = 0;  // core/record/elements.h: its id
  std::uint32_t first = 0;    // of its runs
  std::uint32_t count = 0;
  std::uint64_t reached = 0;  // accesses that were made in this order; written by the runtime
  // Another run lent it, and it may not fit: where nobody could go on, somebody comes out of turn, whose next
  // place in the order is then taken, and all others keep to the rest.
  std::uint32_t is_lent = 0;      // 2: it was not, and gives way only where that of others does not help
  std::uint32_t out_of_turn = 0;  // how often that was; written by the runtime
};

// The element of a vector of all blocks together whose vectors were not lent (PRES-BB's sketch of one run):
// who enters any of them next. It holds back nobody: OrderTable::follows_entries.
inline constexpr std::uint64_t kAllEntries = ~0ull;
inline constexpr std::uint32_t kHoldsNobody = 3;  // its OrderVector::is_lent

// What `reached` says instead where a table has no runs, and elements are only looked at.
namespace element_seen {
inline constexpr std::uint64_t kProtected =
    1;  // several threads came to it, always under one and the same lock
inline constexpr std::uint64_t kShared = 2;
}  // namespace element_seen

struct OrderTable {
  std::uint32_t vectors = 0;
  std::uint32_t runs = 0;
  // Whose turn it is at an element that was not lent mostly goes first, also where nothing is said of what it
  // does until then: who is held back at an element does not hold a lock meanwhile that others need.
  std::uint32_t prefers_turns = 0;
  // Of those that could go on, who has come least far of all that the orders have of it goes first, and who
  // has done all of that goes last: as threads that run side by side do, of which a log says how far each
  // came.
  std::uint32_t keeps_abreast = 0;
  // Of those that could go on, who enters a block next by the vector kAllEntries goes first, once whoever is
  // in a block has done what is in it. 1: what a thread does in blocks that the vector has no part in comes
  // as late as it can, before its next entry; 2: as early as it can.
  std::uint32_t follows_entries = 0;
  std::uint32_t unused = 0;

  static std::uint64_t bytes(std::uint64_t vectors, std::uint64_t runs) {
    return sizeof(OrderTable) + vectors * sizeof(OrderVector) + runs * sizeof(OrderRun);
  }
  OrderVector* vector() { return reinterpret_cast<OrderVector*>(this + 1); }
  const OrderVector* vector() const { return reinterpret_cast<const OrderVector*>(this + 1); }
  OrderRun* run() { return reinterpret_cast<OrderRun*>(vector() + vectors); }
  const OrderRun* run() const { return reinterpret_cast<const OrderRun*>(vector() + vectors); }
};
static_assert(sizeof(OrderTable) % alignof(OrderVector) == 0);

}  // namespace heddle
