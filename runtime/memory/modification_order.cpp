#include "runtime/memory/modification_order.h"

#include <algorithm>

#include "core/base/check.h"
#include "runtime/memory/rows.h"

namespace heddle::memory {
namespace {

constexpr std::uint32_t kMasks = 5;  // live, tails, maximal, blocks_in_use, chains

constexpr std::size_t slot_bytes(std::uint32_t words) {
  return sizeof(Store) + 8ull * words + sizeof(SlotAndBlock);
}
constexpr std::size_t array_bytes(std::uint32_t capacity, std::uint32_t words) {
  return capacity * slot_bytes(words) + kMasks * 8ull * words;
}
constexpr std::uint32_t words_for(std::uint32_t capacity) { return (capacity + 63) / 64; }

bool any(const std::uint64_t* mask, std::uint32_t words) {
  for (std::uint32_t w = 0; w < words; ++w) {
    if (mask[w] != 0) return true;
  }
  return false;
}

// Calls f(slot) for each set bit.
template <typename F>
void for_each_slot(const std::uint64_t* mask, std::uint32_t words, F f) {
  for (std::uint32_t w = 0; w < words; ++w) {
    for (std::uint64_t m = mask[w]; m != 0; m &= m - 1)
      f(w * 64 + static_cast<std::uint32_t>(__builtin_ctzll(m)));
  }
}

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

void ModificationOrder::allocate(Location& x, std::uint32_t capacity) {
  x.capacity = capacity;
  x.words = words_for(capacity);
  char* p = static_cast<char*>(arena_.allocate(array_bytes(capacity, x.words)));
  const auto take = [&p](std::size_t bytes) {
    char* start = p;
    p += bytes;
    return start;
  };
  x.stores = reinterpret_cast<Store*>(take(capacity * sizeof(Store)));
  x.rows = reinterpret_cast<std::uint64_t*>(take(8ull * capacity * x.words));
  x.numbered = reinterpret_cast<SlotAndBlock*>(take(capacity * sizeof(SlotAndBlock)));
  x.live = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.tails = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.maximal = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.blocks_in_use = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.chains = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  std::fill_n(x.live, std::size_t{kMasks} * x.words, 0ull);
  std::fill_n(x.rows, static_cast<std::size_t>(capacity) * x.words, 0ull);
  std::fill_n(x.numbered, capacity, SlotAndBlock{0, 0, 0});
}

void ModificationOrder::release(Location& x) {
  for_each_slot(x.live, x.words, [&](std::uint32_t slot) { views_.release(x.stores[slot].message.view); });
  arena_.release(x.stores, array_bytes(x.capacity, x.words));
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    const History& h = x.accessors[i].history;
    if (h.capacity != 0) arena_.release_array(h.older, h.capacity);
  }
  if (x.accessor_capacity != 0) arena_.release_array(x.accessors, x.accessor_capacity);
  if (x.accessor_index_size != 0) arena_.release_array(x.accessor_index, x.accessor_index_size);
  if (x.seq_cst.capacity != 0) arena_.release_array(x.seq_cst.older, x.seq_cst.capacity);
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

// While no number has wrapped around the ring, slots are numbers: growing is copying.
bool ModificationOrder::grow_in_place(Location& x, std::uint32_t capacity) {
  if (x.end > x.capacity || words_for(capacity) != 1 || capacity <= x.capacity) return false;
  const Location old = x;
  allocate(x, capacity);
  std::copy_n(old.stores, old.capacity, x.stores);
  std::copy_n(old.rows, old.capacity, x.rows);
  std::copy_n(old.numbered, old.capacity, x.numbered);
  std::copy_n(old.live, kMasks, x.live);
  arena_.release(old.stores, array_bytes(old.capacity, old.words));
  return true;
}

void ModificationOrder::rebuild(Location& x, std::uint32_t capacity) {
  if (grow_in_place(x, capacity)) return;
  const Location old = x;
  Sequence* new_number = arena_.allocate_array<Sequence>(old.capacity);
  std::uint32_t* new_block = arena_.allocate_array<std::uint32_t>(old.capacity);
  std::fill_n(new_number, old.capacity, kNoSequence);
  std::fill_n(new_block, old.capacity, kNoSequence);
  allocate(x, capacity);
  x.first = x.end = 0;
  std::uint32_t blocks = 0;
  for (Sequence s = old.first; s != old.end; ++s) {
    if (Location::test(old.live, old.slot(s))) new_number[old.slot(s)] = x.end++;
  }
  for (Sequence s = old.first; s != old.end; ++s) {
    const std::uint32_t from = old.slot(s);
    const Sequence to = new_number[from];
    if (to == kNoSequence) continue;
    x.stores[to] = old.stores[from];
    for_each_slot(old.row(s), old.words, [&](std::uint32_t b) { Location::set(x.row(to), new_number[b]); });
    Location::set(x.live, to);
    if (Location::test(old.tails, from)) Location::set(x.tails, to);
    if (Location::test(old.maximal, from)) Location::set(x.maximal, to);
    std::uint32_t& block = new_block[old.block_of(from)];
    if (block == kNoSequence) {
      block = blocks++;
      if (Location::test(old.chains, old.block_of(from))) Location::set(x.chains, block);
      Location::set(x.blocks_in_use, block);
      x.numbered[block].tail = new_number[old.slot(old.tail_of_block(old.block_of(from)))];
    }
    x.numbered[to].block = block;
    if (x.words == 1) x.numbered[block].members |= 1ull << to;
  }
  x.newest = new_number[old.slot(old.newest)];
  if (x.floor != kNoSequence) x.floor = new_number[old.slot(old.floor)];
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) remap(x.accessors[i].history, old, new_number);
  remap(x.seq_cst, old, new_number);
  arena_.release(old.stores, array_bytes(old.capacity, old.words));
  arena_.release_array(new_number, old.capacity);
  arena_.release_array(new_block, old.capacity);
}

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

// A linear extension of the DAG in which blocks stay together: a block is finished before another begins.
void ModificationOrder::assign_positions(Location& x, std::uint64_t* remaining) {
  std::uint32_t block = kNoSequence;
  while (any(remaining, x.words)) {
    Sequence next = kNoSequence;
    for (Sequence s = x.first; s != x.end; ++s) {
      if (!Location::test(remaining, x.slot(s))) continue;
      bool ready = true;
      for (std::uint32_t w = 0; w < x.words; ++w) ready = ready && (x.row(s)[w] & remaining[w]) == 0;
      if (!ready) continue;
      if (next == kNoSequence || x.block_of(x.slot(s)) == block) next = s;
      if (x.block_of(x.slot(s)) == block) break;
    }
    HEDDLE_CHECK(next != kNoSequence);
    log_position(x, next);
    block = x.block_of(x.slot(next));
    Location::clear(remaining, x.slot(next));
  }
}

void ModificationOrder::log_position(Location& x, Sequence s) {
  const EventId event = x.store(s).event;
  if (x.store(s).writer != kNoThread) ++x.positions;
  if (event == kNoEvent) return;
  if (log_size_ == log_capacity_) {
    const std::uint32_t capacity = log_capacity_ == 0 ? 256 : log_capacity_ * 2;
    auto* log = arena_.allocate_array<MoPosition>(capacity);
    std::copy_n(log_, log_size_, log);
    if (log_capacity_ != 0) arena_.release_array(log_, log_capacity_);
    log_ = log;
    log_capacity_ = capacity;
  }
  log_[log_size_++] = {event, x.positions};
}

void ModificationOrder::settle(Location& x) {
  if (!record_) return;
  std::uint64_t* remaining = scratch(x, 2);
  std::copy_n(x.live, x.words, remaining);
  assign_positions(x, remaining);
}

}  // namespace heddle::memory
