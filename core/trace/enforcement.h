// Rules that an execution is held to although the program does not: what a change of the program would bring
// about, tried before anybody makes it. An explanation is believed when the bug goes away under it.
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

// A place in the program: a return address, and those of its callers as far as they matter (an operation of
// std::atomic that was not inlined is one function for all that use it). Zero ends the list.
struct CodePlace {
  static constexpr std::uint32_t kMostCallers = 6;

  std::uint64_t pc = 0;
  std::uint64_t callers[kMostCallers] = {};

  friend constexpr bool operator==(const CodePlace&, const CodePlace&) = default;
};

enum class RuleKind : std::uint8_t {
  kNone = 0,
  kStrengthen,  // operations at `place` have `order` at least; without a place: all of them
  kTogether,    // from `place` until the thread has performed the `other` of any such rule and comes to its
                // next operation, nobody comes between, as if under one lock
  kLocked,  // plain accesses at `place` and at `other` are made under one lock, the same for all such rules
  kAfter,   // operations at `place` wait until `other` was performed, where somebody else can run
  kHoldLock,  // an operation at `place` is performed as if the lock that is taken at `other` were held meanwhile
  kWakeAll,  // a signal at `place` wakes all that wait
  // A wait at `place` does not end for no reason, and nobody takes its lock between the signal and its end: what was
  // true when it was signalled is still true, as if it were looked at again. kHandOverOne: of a broadcast, one at a
  // time.
  kHandOver,
  kHandOverOne,
  kAfterEnd,    // operations at `place` wait until threads that were started at `other` have ended
  kKeep,        // what is freed at `place` is kept until the program ends
  kStartAfter,  // threads that are started at `place` begin when `other` was performed
  kGiveBack,  // while a join or a wait for a condition at `place` lasts, the thread does not hold the lock that it
              // took at `other`
  kAtomic,  // plain accesses at `place` and at `other` are atomic ones with `order`
  kFence,   // a fence of `order` comes before an operation at `place`
};

struct EnforcedRule {
  CodePlace place;
  CodePlace other;
  RuleKind kind = RuleKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;  // kStrengthen, kAtomic, kFence
  std::uint8_t frames_left =
      0;  // kTogether: so many functions may be left on the way from `place` to `other`
  std::uint8_t unused[5] = {};
};

inline constexpr std::uint32_t kMostRules = 240;  // a thread names the one that it is held to in a byte

// The weakest order that has what both have. A load or a store takes of it what it can use.
constexpr MemoryOrder join_of(MemoryOrder a, MemoryOrder b) {
  if (is_seq_cst(a) || is_seq_cst(b)) return MemoryOrder::kSeqCst;
  const bool acquires = is_acquire(a) || is_acquire(b);
  const bool releases = is_release(a) || is_release(b);
  if (acquires && releases) return MemoryOrder::kAcqRel;
  return acquires ? MemoryOrder::kAcquire : releases ? MemoryOrder::kRelease : MemoryOrder::kRelaxed;
}

}  // namespace heddle
