// One nondeterministic decision: its alternatives by semantic key, and the pick. An execution is a function
// of the program, its input and the list of these.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

enum class ChoiceKind : std::uint8_t {
  kThread = 0,      // which thread performs the next visible operation
  kReadsFrom = 1,   // which store a load or update reads
  kWakeUp = 2,      // which waiter a signal wakes
  kTimeout = 3,     // does a timed wait expire now
  kSpurious = 4,    // does a weak compare-exchange or a wait fail spuriously
  kBlockReuse = 5,  // does malloc hand out a freed block again
  kValue = 6,       // heddle_choose(n)
  kOvertakes = 7,  // how many seq_cst operations that were executed before the one at hand come after it in S
};
inline constexpr std::uint32_t kChoiceKinds = 8;

// What an alternative means, independent of its index: a thread, a store as (thread, ordinal of that thread's
// stores), or a plain number. 40 bits are kept in the log.
struct ChoiceKey {
  std::uint64_t bits = 0;

  static constexpr std::uint64_t kMask = (1ull << 40) - 1;
  static constexpr ChoiceKey thread(ThreadId t) { return {index_of(t)}; }
  static constexpr ChoiceKey number(std::uint64_t n) { return {n & kMask}; }
  static constexpr ChoiceKey store(ThreadId writer, std::uint32_t ordinal) {
    return {(static_cast<std::uint64_t>(index_of(writer) & 0x3fff) << 26) | (ordinal & 0x3ffffff)};
  }
  constexpr ThreadId as_thread() const { return ThreadId{static_cast<std::uint16_t>(bits)}; }
  constexpr ThreadId store_thread() const { return ThreadId{static_cast<std::uint16_t>(bits >> 26)}; }
  constexpr std::uint32_t store_ordinal() const { return static_cast<std::uint32_t>(bits & 0x3ffffff); }
  friend constexpr bool operator==(ChoiceKey, ChoiceKey) = default;
};

// The log entry. The hash covers kind, deciding thread and all alternatives' keys: exact replay compares it
// and so notices a divergence at the first choice that differs, not at the first crash after it.
struct Choice {
  std::uint64_t bits = 0;

  static constexpr Choice make(ChoiceKind kind, std::uint32_t alternatives_hash, ChoiceKey picked) {
    return {static_cast<std::uint64_t>(kind) << 60 |
            static_cast<std::uint64_t>(alternatives_hash & 0xfffff) << 40 | (picked.bits & ChoiceKey::kMask)};
  }
  constexpr ChoiceKind kind() const { return static_cast<ChoiceKind>(bits >> 60); }
  constexpr std::uint32_t alternatives_hash() const { return (bits >> 40) & 0xfffff; }
  constexpr ChoiceKey picked() const { return {bits & ChoiceKey::kMask}; }
  friend constexpr bool operator==(Choice, Choice) = default;
};
static_assert(sizeof(Choice) == 8);

}  // namespace heddle
