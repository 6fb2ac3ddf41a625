// Bounding the execution graph (C11Tester §6.1). Forgetting a store is sound as long as all that is mo-before
// it is forgotten too: then nobody can read backwards past it. Fences and seq_cst accesses need no pass of
// their own: what they published is counted by reference, and histories hold live stores only.
#include <algorithm>

#include "runtime/memory/masks.h"
#include "runtime/memory/memory_model.h"

namespace heddle::memory {
namespace {

// The window is overrun by nothing and emptied by a quarter, so that dropping costs little per store.
constexpr std::uint32_t kSlack = 4;

std::uint32_t live_count(const Location& x) {
  std::uint32_t n = 0;
  for (std::uint32_t w = 0; w < x.words; ++w) n += count_bits(x.live[w]);
  return n;
}

}  // namespace

// All slots are taken, by live stores or by gaps between them.
void MemoryModel::make_room(Location& x) {
  if (options_.prune == PruneKind::kConservative) prune_conservatively(x);
  if (options_.prune == PruneKind::kAggressive) prune_aggressively(x);
  if (live_count(x) * 2 <= x.capacity) {
    if (x.end - x.first == x.capacity) order_.rebuild(x, x.capacity);
  } else if (arena_.used() < options_.memory_limit) {
    order_.rebuild(x, x.capacity * 2);
  } else {
    while (x.end - x.first == x.capacity) order_.drop_oldest(x);
    pruned_ = true;
  }
}

// The window. Under sc and for overlapping sizes it is one store, and what goes could not be read anyway.
void MemoryModel::trim(Location& x) {
  const std::uint32_t limit = x.latest_only ? 1 : window_;
  if (x.end - x.first > limit) order_.drop_down_to(x, limit - limit / kSlack);
  if (!x.latest_only && model_.reads_old_stores) pruned_ = true;
}

// What no running thread can read any more. A thread that waits for another to end will know what that one
// knows.
void MemoryModel::prune_conservatively(Location& x) {
  std::uint64_t* dead = order_.scratch(x, 0);
  std::copy_n(x.live, x.words, dead);
  bool counted = false;
  for (std::uint32_t i = 0; i < threads_.width(); ++i) {
    const ThreadId t{static_cast<std::uint16_t>(i)};
    const ThreadState& s = threads_.state(t);
    if (!s.running || (s.waits_for != kNoThread && threads_.state(s.waits_for).running)) continue;
    counted = true;
    failure_bounds_.compute(x, threads_, {t, false, false}, model_);
    for (std::uint32_t w = 0; w < x.words; ++w) dead[w] &= failure_bounds_.excluded()[w];
  }
  if (!counted) return;
  keep_partial_blocks(x, dead);
  if (any(dead, x.words)) order_.erase(x, dead);
}

// What is mo-before a store that is older than the window of the trace.
void MemoryModel::prune_aggressively(Location& x) {
  std::uint64_t* dead = order_.scratch(x, 0);
  for_each_newest_first(x, x.live, [&](Sequence s) {
    if (steps_ - std::max(x.store(s).step, 1u) < options_.window) return;
    for (std::uint32_t w = 0; w < x.words; ++w) dead[w] |= x.row(s)[w];
  });
  keep_partial_blocks(x, dead);
  if (!any(dead, x.words)) return;
  order_.erase(x, dead);
  pruned_ = true;
}

// Part of a chain of updates may go only if the chain precedes all that stays: otherwise an order that is
// still open could put another store between its members.
void MemoryModel::keep_partial_blocks(const Location& x, std::uint64_t* dropped) {
  std::uint64_t* keep = order_.scratch(x, 1);
  for_each_newest_first(x, dropped, [&](Sequence s) {
    const std::uint32_t block = x.block_of(x.slot(s));
    if (Location::test(dropped, x.slot(x.tail_of(s)))) return;
    for_each_newest_first(x, x.live, [&](Sequence other) {
      const std::uint32_t slot = x.slot(other);
      if (x.block_of(slot) != block && !Location::test(dropped, slot) && !x.is_before(s, other)) {
        Location::set(keep, x.slot(s));
      }
    });
  });
  for (std::uint32_t w = 0; w < x.words; ++w) dropped[w] &= ~keep[w];
}

}  // namespace heddle::memory
