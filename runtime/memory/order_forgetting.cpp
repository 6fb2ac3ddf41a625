// Stores that are forgotten: which ones may go together, and what is left of the order without them.
// prune.cpp decides when that is done.
#include <algorithm>

#include "core/base/check.h"
#include "runtime/memory/masks.h"
#include "runtime/memory/modification_order.h"
#include "runtime/memory/rows.h"

namespace heddle::memory {
namespace {

// All but the newest `span` slots, and what is before the stores there. REQUIRES: one word.
std::uint64_t older_than(const Location& x, std::uint32_t span) {
  const std::uint32_t oldest = x.slot(x.end);  // where the ring begins, if it is full
  const std::uint64_t many = (1ull << (x.capacity - span)) - 1;
  std::uint64_t left = x.live[0] & (many << oldest | (oldest != 0 ? many >> (x.capacity - oldest) : 0));
  std::uint64_t dropped = 0;
  std::uint32_t slot = x.slot(x.end - span - 1);  // the youngest: mostly it has many of the others before it
  while (left != 0) {
    if ((left >> slot & 1) == 0) slot = static_cast<std::uint32_t>(__builtin_ctzll(left));
    dropped |= x.rows[slot] | 1ull << slot;
    left &= ~dropped;
  }
  return dropped;
}

}  // namespace

void ModificationOrder::erase(Location& x, std::uint64_t* dropped) {
  if (record_) {
    std::uint64_t* remaining = scratch(x, 2);
    std::copy_n(dropped, x.words, remaining);
    assign_positions(x, remaining);
  }
  if (x.floor != kNoSequence && Location::test(dropped, x.slot(x.floor))) x.floor = kNoSequence;
  for_each_slot(dropped, x.words, [&](std::uint32_t slot) { views_.release(x.stores[slot].message.view); });
  for (std::uint32_t w = 0; w < x.words; ++w) {
    for (std::uint64_t m = dropped[w] & x.tails[w]; m != 0; m &= m - 1)
      Location::clear(x.blocks_in_use, x.block_of(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(m))));
    for (std::uint64_t m = dropped[w] & ~x.tails[w]; m != 0; m &= m - 1) {
      const Sequence tail =
          x.tail_of_block(x.block_of(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(m))));
      if (Location::test(dropped, x.slot(tail))) continue;
      x.floor = tail;  // nothing may come between the part of a block that goes and the part that stays
      if (x.has_single_tail()) break;
    }
  }
  for (std::uint32_t w = 0; w < x.words; ++w) {
    x.live[w] &= ~dropped[w];
    x.tails[w] &= ~dropped[w];
    x.maximal[w] &= ~dropped[w];
  }
  // Rows of slots that are not in use may be cleared too: one loop without branches.
  if (x.words == 1) {
    keep_in_rows(x, ~dropped[0]);
  } else {
    for (std::uint32_t i = 0; i < x.capacity; ++i) {
      for (std::uint32_t w = 0; w < x.words; ++w)
        x.rows[static_cast<std::size_t>(i) * x.words + w] &= ~dropped[w];
    }
  }
  if (x.words == 1) {
    HEDDLE_CHECK(x.live[0] != 0);
    x.first = x.end - x.capacity + static_cast<std::uint32_t>(__builtin_ctzll(newest_at_top(x, x.live[0])));
  } else {
    while (x.first != x.end && !Location::test(x.live, x.slot(x.first))) ++x.first;
    HEDDLE_CHECK(x.first != x.end);
  }
  find_newest(x);
}

void ModificationOrder::drop_oldest(Location& x) {
  const Sequence oldest = x.first;
  const std::uint32_t slot = x.slot(oldest);
  std::uint64_t* dropped = scratch(x, 0);
  std::copy_n(x.row(oldest), x.words, dropped);
  if (Location::test(x.maximal, slot) && x.has_single_maximum()) {
    // Everything else is before it: it stays, as the youngest of all.
    if (any(dropped, x.words)) erase(x, dropped);
    rebuild(x, x.capacity);
    return;
  }
  Location::set(dropped, slot);
  if (!x.is_tail(oldest)) {
    // Part of a block stays. What is not ordered with the block must not come between its members in the
    // final order: it goes before the block, and out, or after it, so that the newest value stays the newest.
    const std::uint32_t block = x.block_of(slot);
    const Sequence tail = x.tail_of(oldest);
    std::uint64_t* unordered = scratch(x, 1);
    if (x.words == 1) {
      unordered[0] = x.live[0] & ~dropped[0] & ~x.numbered[block].members & ~rows_with(x, slot);
    } else {
      for_each_slot(x.live, x.words, [&](std::uint32_t other) {
        const std::uint64_t* r = x.rows + static_cast<std::size_t>(other) * x.words;
        if (x.block_of(other) != block && !Location::test(dropped, other) && !Location::test(r, slot)) {
          Location::set(unordered, other);
        }
      });
    }
    if (any(unordered, x.words)) {
      if (x.block_of(x.slot(x.newest)) == block || x.is_before(oldest, x.newest)) {
        constrain_read(x, unordered, oldest);
        for (std::uint32_t w = 0; w < x.words; ++w) dropped[w] |= unordered[w];
      } else {
        std::uint64_t* added = scratch(x, 3);
        add_edges_from_block(x, tail, added);
        for_each_slot(unordered, x.words, [&](std::uint32_t other) {
          std::uint64_t* r = x.rows + static_cast<std::size_t>(other) * x.words;
          for (std::uint32_t w = 0; w < x.words; ++w) r[w] |= added[w];
        });
        for (std::uint32_t w = 0; w < x.words; ++w) x.maximal[w] &= ~added[w];
      }
    }
  }
  erase(x, dropped);
}

// Something maximal stays, and a block that goes in part precedes all that stays.
bool ModificationOrder::may_drop_at_once(const Location& x, const std::uint64_t* dropped) {
  std::uint64_t stays = 0;
  for (std::uint32_t w = 0; w < x.words; ++w) stays |= x.maximal[w] & ~dropped[w];
  if (stays == 0) return false;
  if (x.has_single_tail()) return true;  // one block
  std::uint64_t inner = 0;
  for (std::uint32_t w = 0; w < x.words; ++w) inner |= dropped[w] & ~x.tails[w];
  if (inner == 0) return true;  // no block of more than one
  if (x.words == 1) {
    while (inner != 0) {
      const auto slot = static_cast<std::uint32_t>(__builtin_ctzll(inner));
      const std::uint64_t members = x.numbered[x.block_of(slot)].members;
      inner &= ~members;
      if (Location::test(dropped, x.slot(x.tail_of_block(x.block_of(slot))))) continue;
      if ((x.live[0] & ~dropped[0] & ~members & ~rows_with(x, slot)) != 0) return false;
    }
    return true;
  }
  std::uint32_t checked = kNoSequence;
  bool may = true;
  for_each_slot(dropped, x.words, [&](std::uint32_t slot) {
    const std::uint32_t block = x.block_of(slot);
    if (!may || block == checked || Location::test(dropped, x.slot(x.tail_of_block(block)))) return;
    checked = block;
    for_each_slot(x.live, x.words, [&](std::uint32_t other) {
      const std::uint64_t* r = x.rows + static_cast<std::size_t>(other) * x.words;
      may = may && (Location::test(dropped, other) || x.block_of(other) == block || Location::test(r, slot));
    });
  });
  return may;
}

void ModificationOrder::drop_down_to(Location& x, std::uint32_t span) {
  std::uint64_t* dropped = scratch(x, 0);
  if (x.words == 1) {
    dropped[0] = older_than(x, span);
  } else {
    for (Sequence s = x.first; x.end - s > span; ++s) {
      const std::uint32_t slot = x.slot(s);
      if (!Location::test(x.live, slot)) continue;
      Location::set(dropped, slot);
      for (std::uint32_t w = 0; w < x.words; ++w) dropped[w] |= x.row(s)[w];
    }
  }
  if (may_drop_at_once(x, dropped)) erase(x, dropped);
  while (x.end - x.first > span) drop_oldest(x);
}

}  // namespace heddle::memory
