// Orders in which threads come to shared program elements, that an execution is held to
// (RunSpec::element_points, the channel's section `orders`). element_plan.h says what the numbers mean. What
// is not ordered so is the strategy's to decide.
//
//   OrderTable | OrderVector[], by element | OrderRun[]
//
// Like rules (enforcement.h) they take choices away and add none: the choices of an execution that was held
// to orders replay without them.
#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "core/trace/element_plan.h"

namespace heddle {

// A thread by its parent and its number among the parent's children, from 1: a name that no schedule changes.
constexpr std::uint64_t kMainLineage = 0x6c696e65616765ull;
constexpr std::uint64_t lineage_of_child(std::uint64_t parent, std::uint32_t number) {
  return mix(parent, number);
}

// A number of accesses in a row by one thread.
struct OrderRun {
  std::uint64_t lineage = 0;
  std::uint32_t accesses = 0;
  std::uint32_t with_last = 0;  // may come in any order with the run before it
};

struct OrderVector {
  std::uint64_t element = 0;  // core/record/elements.h: its id
  std::uint32_t first = 0;    // of its runs
  std::uint32_t count = 0;
  std::uint64_t reached = 0;           // accesses that were made in this order; written by the runtime
  std::uint32_t is_lent = kKeptOrder;  // whether it gives way where nobody could go on (element_plan.h)
  std::uint32_t out_of_turn = 0;       // how often somebody came out of turn; written by the runtime
};

struct OrderTable {
  std::uint32_t vectors = 0;
  std::uint32_t runs = 0;
  // Set: of the threads that can run, one whose turn it is at an element that was not lent mostly goes first.
  // A thread that is held back at an element could hold a lock meanwhile that others need.
  std::uint32_t prefers_turns = 0;
  // Set: of the threads that can run, the one goes first that has done the smallest share of its accesses in
  // the orders. A thread that has done all of them goes last. So threads keep abreast, as those do that run
  // side by side.
  std::uint32_t keeps_abreast = 0;
  // Of the threads that can run, the one goes first that enters a block next by the vector kAllEntries, once
  // no thread is inside of a block. kEntriesLate, kEntriesEarly: when other blocks come (element_plan.h).
  std::uint32_t follows_entries = kEntriesLeft;
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
