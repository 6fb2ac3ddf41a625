#include "runtime/memory/modification_order.h"

#include "runtime/memory/masks.h"
#include "runtime/memory/rows.h"

namespace heddle::memory {

void ModificationOrder::reset(bool record) {
  record_ = record;
  log_ = nullptr;
  log_size_ = log_capacity_ = 0;
  scratch_words_ = 0;
}

std::uint64_t* ModificationOrder::scratch(const Location& x, std::uint32_t number) {
  if (x.words > scratch_words_) {
    for (std::uint64_t*& s : scratch_) {
      if (scratch_words_ != 0) arena_.release_array(s, scratch_words_);
      s = arena_.allocate_array<std::uint64_t>(x.words);
    }
    scratch_words_ = x.words;
  }
  scratch_[number][0] = 0;
  for (std::uint32_t w = 1; w < x.words; ++w) scratch_[number][w] = 0;
  return scratch_[number];
}

// An edge leaves from the tail of its source's block, so that updates stay next to what they read
// (atomicity).
void ModificationOrder::add_edges_from_block(Location& x, Sequence from, std::uint64_t* to_row) {
  const Sequence tail = x.tail_of(from);
  const std::uint64_t* source = x.row(tail);
  to_row[0] |= source[0];
  for (std::uint32_t w = 1; w < x.words; ++w) to_row[w] |= source[w];
  Location::set(to_row, x.slot(tail));
}

void ModificationOrder::find_newest(Location& x) {
  if (Location::test(x.maximal, x.slot(x.newest))) return;
  if (x.words == 1) {
    const std::uint64_t ages = newest_at_top(x, x.maximal[0]);
    x.newest = x.end - x.capacity + static_cast<std::uint32_t>(63 - __builtin_clzll(ages));
    return;
  }
  bool found = false;
  for_each_newest_first(x, x.maximal, [&](Sequence s) {
    if (!found) x.newest = s;
    found = true;
  });
}

// What comes before a store that is after those of `known`: the tails of their blocks, so that updates stay
// next to what they read (atomicity), and what is before these. REQUIRES: one word.
inline std::uint64_t ModificationOrder::sources(const Location& x, std::uint64_t known) {
  std::uint64_t row = 0;
  for (std::uint64_t m = known; m != 0; m = (m & (m - 1)) & ~row) {
    const std::uint32_t tail =
        x.slot(x.tail_of_block(x.block_of(static_cast<std::uint32_t>(__builtin_ctzll(m)))));
    row |= x.rows[tail] | 1ull << tail;
  }
  return row;
}

// A store with this row becomes a block of its own.
inline Sequence ModificationOrder::add_block_in_a_word(Location& x, std::uint64_t row) {
  const Sequence s = x.end++;
  const std::uint32_t slot = x.slot(s);
  const std::uint64_t bit = 1ull << slot;
  WordMasks& masks = x.word();
  const auto block = static_cast<std::uint32_t>(__builtin_ctzll(~masks.blocks_in_use));
  x.rows[slot] = row;
  masks.maximal = (masks.maximal & ~row) | bit;
  masks.live |= bit;
  masks.tails |= bit;
  masks.blocks_in_use |= 1ull << block;
  masks.chains &= ~(1ull << block);
  x.leave_block(slot);
  x.numbered[slot].block = block;
  x.numbered[block].members = bit;
  x.numbered[block].tail = s;
  return x.newest = s;
}

Sequence ModificationOrder::append_store(Location& x, const std::uint64_t* known) {
  if (x.words == 1) {
    return add_block_in_a_word(x, sources(x, known[0]));
  }
  std::uint64_t* row = x.row(x.end);
  for (std::uint32_t w = 0; w < x.words; ++w) row[w] = 0;
  for (std::uint32_t w = 0; w < x.words; ++w) {
    // A store that the row already has, with its whole block, adds nothing.
    for (std::uint64_t m = known[w] & ~row[w]; m != 0; m = (m & (m - 1)) & ~row[w]) {
      add_edges_from_block(x, x.sequence(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(m))), row);
    }
  }
  for (std::uint32_t w = 0; w < x.words; ++w) x.maximal[w] &= ~row[w];
  return add_block(x);
}

Sequence ModificationOrder::append_last(Location& x) {
  if (x.words == 1) return add_block_in_a_word(x, x.live[0]);
  std::uint64_t* row = x.row(x.end);
  for (std::uint32_t w = 0; w < x.words; ++w) {
    row[w] = x.live[w];
    x.maximal[w] = 0;
  }
  return add_block(x);
}

// The store whose row has been filled in becomes a block of its own.
Sequence ModificationOrder::add_block(Location& x) {
  const Sequence s = x.end++;
  const std::uint32_t slot = x.slot(s);
  Location::set(x.maximal, slot);
  Location::set(x.live, slot);
  Location::set(x.tails, slot);
  std::uint32_t w = 0;
  while (~x.blocks_in_use[w] == 0) ++w;
  const std::uint32_t block = w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(~x.blocks_in_use[w]));
  Location::set(x.blocks_in_use, block);
  Location::clear(x.chains, block);
  x.numbered[block].tail = s;
  x.numbered[slot].block = block;
  x.newest = s;
  return s;
}

Sequence ModificationOrder::append_update(Location& x, Sequence read) {
  if (x.words == 1 && Location::test(x.maximal, x.slot(read))) return append_to_maximal(x, read);
  const Sequence s = x.end++;
  const std::uint32_t slot = x.slot(s);
  const std::uint32_t read_slot = x.slot(read);
  std::uint64_t* row = x.row(s);
  for (std::uint32_t w = 0; w < x.words; ++w) row[w] = x.row(read)[w];
  Location::set(row, read_slot);
  if (Location::test(x.maximal, read_slot)) {
    Location::clear(x.maximal, read_slot);
    Location::set(x.maximal, slot);
    x.newest = s;
  } else {
    // What follows the store that was read follows the update. (Rows that are not in use do not matter.)
    if (x.words == 1) {
      add_to_rows_with(x, read_slot, 1ull << slot);
      row[0] &= ~(1ull << slot);
    } else {
      for_each_slot(x.live, x.words, [&](std::uint32_t other) {
        std::uint64_t* r = x.rows + static_cast<std::size_t>(other) * x.words;
        if (Location::test(r, read_slot)) Location::set(r, slot);
      });
    }
  }
  Location::set(x.live, slot);
  Location::clear(x.tails, read_slot);
  Location::set(x.tails, slot);
  const std::uint32_t block = x.block_of(read_slot);
  if (x.words == 1) {
    join_block(x, s, block);
  } else {
    x.numbered[slot].block = block;
    x.numbered[block].tail = s;
    Location::set(x.chains, block);
  }
  return s;
}

void ModificationOrder::add_constraints(Location& x, const std::uint64_t* known, Sequence read) {
  const std::uint32_t read_slot = x.slot(read);
  const std::uint32_t block = x.block_of(read_slot);
  const std::uint64_t* row = x.row(read);
  // The edges arrive at the head of the block, and so at all of its members and at what follows it.
  if (x.words == 1) {
    const std::uint64_t bit = 1ull << read_slot;
    const std::uint64_t added = sources(x, known[0] & ~row[0] & ~bit);
    WordMasks& masks = x.word();
    std::uint64_t members = bit;  // of the block, up to the store that is read
    if (Location::test(&masks.chains, block)) members |= row[0] & x.numbered[block].members;
    for (; members != 0; members &= members - 1) x.rows[__builtin_ctzll(members)] |= added;
    if ((masks.maximal & bit) == 0) add_to_rows_with(x, read_slot, added);
    masks.maximal &= ~added;
  } else {
    std::uint64_t* added = scratch(x, 3);
    for_each_slot(known, x.words, [&](std::uint32_t slot) {
      if (slot != read_slot && !Location::test(row, slot)) add_edges_from_block(x, x.sequence(slot), added);
    });
    for_each_slot(x.live, x.words, [&](std::uint32_t other) {
      std::uint64_t* r = x.rows + static_cast<std::size_t>(other) * x.words;
      if (x.block_of(other) != block && !Location::test(r, read_slot)) return;
      for (std::uint32_t w = 0; w < x.words; ++w) r[w] |= added[w];
    });
    for (std::uint32_t w = 0; w < x.words; ++w) x.maximal[w] &= ~added[w];
  }
  find_newest(x);
}

}  // namespace heddle::memory
