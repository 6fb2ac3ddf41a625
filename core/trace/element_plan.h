// What the tool asks of the engine about shared program elements (core/record/elements.h), and what comes
// back: the numbers whose meaning both sides share. orders.h has the layout of the table in the channel.
//
// A plan is a RunSpec and a table of orders:
//   RunSpec::element_points   at which accesses threads may be switched, and which of them are events
//   OrderVector               in which order threads come to one element, and whether that order gives way
//   OrderTable's flags        who goes first where no order says anything
// OrderVector::reached says how far each order came. Where nobody could go on (Ending::kInfeasible),
// ExecutionResult::divergence_choice is the index of an order that was stuck.
//
// A table without a single run is no plan but a question: which of its elements are shared (is_profile)?
#pragma once

#include <cstdint>

#include "core/trace/run_spec.h"

namespace heddle {

// Bits of RunSpec::element_points.
namespace element_points {
inline constexpr std::uint8_t kAccesses = 1;  // accesses to elements are scheduling points, plain ones too
// Accesses are events, too (element_events.h), from which the tool sees which of them could have come in
// another order.
inline constexpr std::uint8_t kEvents = 2;
// Blocks are scheduling points, too: all of them, so that what was held to orders of some replays without.
inline constexpr std::uint8_t kBlocks = 4;
}  // namespace element_points

// OrderVector::is_lent: whether an order gives way where nobody could go on. If it does, somebody comes out of
// turn, whose next place in the order is taken, and all others keep to the rest.
inline constexpr std::uint32_t kKeptOrder = 0;    // never gives way
inline constexpr std::uint32_t kLentOrder = 1;    // another run lent it, and it may not fit: gives way first
inline constexpr std::uint32_t kYieldsLast = 2;   // was not lent; gives way where no lent one helps
inline constexpr std::uint32_t kHoldsNobody = 3;  // that of kAllEntries

// The element of a vector of all blocks together whose vectors were not lent (PRES-BB's sketch of one run):
// who enters any of them next. It holds back nobody: OrderTable::follows_entries.
inline constexpr std::uint64_t kAllEntries = ~0ull;

// OrderTable::follows_entries: when a thread does what is in blocks that kAllEntries' vector has no part in.
inline constexpr std::uint32_t kEntriesLeft = 0;   // the vector is not followed
inline constexpr std::uint32_t kEntriesLate = 1;   // as late as it can, before its next entry
inline constexpr std::uint32_t kEntriesEarly = 2;  // as early as it can

// Are the elements of a table only looked at? An execution that looks at plain accesses is held to no order
// where the table has no runs. In others, who has no run at an element comes to it only if nobody else can go
// on.
constexpr bool is_profile(std::uint32_t runs, PlainEvents plain_events) {
  return runs == 0 && plain_events != PlainEvents::kNone;
}
// What OrderVector::reached says then, and 0 where nothing was shared.
namespace element_seen {
inline constexpr std::uint64_t kProtected = 1;  // it is shared, always under one and the same lock
inline constexpr std::uint64_t kShared = 2;
}  // namespace element_seen

}  // namespace heddle
