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
};

struct EnforcedRule {
  CodePlace place;
  CodePlace other;
  RuleKind kind = RuleKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;  // kStrengthen
  std::uint8_t frames_left =
      0;  // kTogether: so many functions may be left on the way from `place` to `other`
  std::uint8_t unused[5] = {};
};

inline constexpr std::uint32_t kMostRules = 48;

// The weakest order that has what both have. A load or a store takes of it what it can use.
constexpr MemoryOrder join_of(MemoryOrder a, MemoryOrder b) {
  if (is_seq_cst(a) || is_seq_cst(b)) return MemoryOrder::kSeqCst;
  const bool acquires = is_acquire(a) || is_acquire(b);
  const bool releases = is_release(a) || is_release(b);
  if (acquires && releases) return MemoryOrder::kAcqRel;
  return acquires ? MemoryOrder::kAcquire : releases ? MemoryOrder::kRelease : MemoryOrder::kRelaxed;
}

}  // namespace heddle
