// One atomic location: the stores that can still be read, what is known of their modification order, and who
// has accessed which of them.
//
// Stores live in a ring, numbered in the order of execution (`Sequence`); slot = number modulo the capacity,
// a power of two. The modification order `mo` is a DAG, kept as its transitive closure: one row of bits per
// store, in which bit j says that the store in slot j is mo-before it. So "may this load read that store?" is
// a mask, an edge is an OR over rows, and forgetting stores needs no rewiring.
//
// Each chain of updates is one block: its members are mo-adjacent, and whatever is before (after) one member
// and is not a member itself is before (after) all. C11Tester's Figs. 4 and 11 test reachability of the
// single store and so admit a cycle; here edges leave from a block's tail and arrive at its head.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "runtime/memory/select.h"
#include "runtime/memory/view.h"

namespace heddle::memory {

using Sequence = std::uint32_t;
inline constexpr Sequence kNoSequence = 0xffffffff;

// A value of 1 to 16 bytes, zero-extended.
struct Value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend constexpr bool operator==(const Value&, const Value&) = default;
};

struct Store {
  Value value;
  Message message;            // what an acquiring reader learns
  std::uint32_t epoch = 0;    // the writer's own time
  std::uint32_t ordinal = 0;  // among the writer's stores
  std::uint32_t step = 0;     // among all stores of the execution, from 1; 0: the initial store
  EventId event = kNoEvent;
  ThreadId writer = kNoThread;  // kNoThread: the initial store, which happens before everything
  bool updates = false;         // a read-modify-write made it
  // Of S (total_order.h). 0: none.
  SeqTime seq_time = 0;  // its own place, if it is seq_cst
  SeqTime delta = 0;     // the S-latest operation that it comes after in sb ∪ rf, or itself
  SeqTime lambda = 0;    // the S-latest operation that strongly happens before who acquires the message
};
static_assert(sizeof(Store) == 64);  // a slot's place is a shift

// From some time on, `store` is what the owner of the history had accessed last.
struct Access {
  std::uint32_t time = 0;
  Sequence store = kNoSequence;
};

// Accesses of one location in the order of time; stores ascend in `mo` (coherence). What bounds somebody who knows of
// a time is the last entry up to it, so that an access of the same store again adds none; but it does where a new
// seq_cst fence happens before it, because what bounds somebody from above is the first entry from a time on. Times:
// a thread's own, or S-times. The last entry whose store is gone stays, to tell that there was one.
struct History {
  Access last;
  Access* older = nullptr;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;

  // Is there any access at times ≤ limit?
  bool begins_by(std::uint32_t limit) const {
    return last.time <= limit || (count != 0 && older[0].time <= limit);
  }
  // The store that was accessed last at times ≤ limit.
  Sequence at(std::uint32_t limit) const {
    if (last.time <= limit) return last.store;
    if (count == 0 || older[0].time > limit) return kNoSequence;
    // Who synchronises at all mostly knows of all but the last few.
    constexpr std::uint32_t kFew = 6;
    std::uint32_t unknown = count;
    while (unknown > 1 && count - unknown < kFew) {
      if (older[--unknown].time <= limit) return older[unknown].store;
    }
    // The last of the others with a time ≤ limit, without branches that nobody can predict.
    std::uint32_t at = 0;
    for (std::uint32_t left = unknown; left > 1;) {
      const std::uint32_t half = left / 2;
      at += older[at + half].time <= limit ? half : 0;
      left -= half;
    }
    return older[at].store;
  }
  // The entry that at() finds; its store is kNoSequence if there is none.
  Access entry_at(std::uint32_t limit) const {
    if (last.time <= limit) return last;
    for (std::uint32_t i = count; i-- > 0;) {
      if (older[i].time <= limit) return older[i];
    }
    return {};
  }
  // The first entry from `from` on. False: there is none.
  bool first_from(std::uint32_t from, Access& found) const {
    if (last.time < from) return false;
    found = last;
    for (std::uint32_t i = count; i != 0; --i) {
      if (older[i - 1].time < from) break;
      found = older[i - 1];
    }
    return true;
  }
};

// In S from `time` on, `store` bounds seq_cst accesses of the location as an access of it would, and no access of it
// does (total_order.h).
struct Soft {
  SeqTime time;
  Sequence store;
};

struct Accessor {
  History history;
  ThreadId thread = kNoThread;
  std::uint32_t lessons = kNoLessons;  // the thread's, when it last accessed the location
  static constexpr std::uint32_t kNoLessons = 0xffffffff;
};

// Of the slot, and of the block, with a number.
struct SlotAndBlock {
  std::uint64_t members;  // of the block: the slots of its stores. One that is not in use any more may still
                          // be among them. Only where rows are one word
  Sequence tail;          // of the block: its last store
  std::uint32_t block;    // of the store in the slot
};
static_assert(sizeof(SlotAndBlock) == 16);

// What Location's masks are where they are one word each.
struct WordMasks {
  std::uint64_t live, tails, maximal, blocks_in_use, chains;
};

struct Location {
  Address address = 0;
  std::uint32_t number = 0;  // among all locations of the execution, from 1
  Location* next_in_bucket = nullptr;
  Location* next = nullptr;  // all locations, for the end of an execution
  Location* previous = nullptr;
  std::uint8_t size = 0;
  bool latest_only = false;  // accessed with overlapping sizes

  std::uint32_t capacity = 0;    // slots, a power of two
  std::uint32_t words = 0;       // per row of bits
  Sequence first = 0;            // oldest store that may be live
  Sequence end = 0;              // one past the newest store
  Sequence newest = 0;           // last executed mo-maximal store: what real memory holds
  Sequence floor = kNoSequence;  // all further stores come after it, whoever knows of it: the initial store,
                                 // or what is left of a chain of updates that was forgotten in part
  std::uint32_t positions = 0;   // stores that have been given their final place in mo

  // One allocation holds all of these.
  Store* stores = nullptr;
  std::uint64_t* rows = nullptr;           // [capacity][words]: mo-before
  std::uint64_t* live = nullptr;           // [words]; the next four follow it
  std::uint64_t* tails = nullptr;          // [words]: last of its block, which an update may read
  std::uint64_t* maximal = nullptr;        // [words]: nothing is mo-after it
  std::uint64_t* blocks_in_use = nullptr;  // [words]
  std::uint64_t* chains = nullptr;         // [words] by block: it has, or had, more than one store
  SlotAndBlock* numbered = nullptr;        // [capacity]

  Accessor* accessors = nullptr;
  std::uint32_t accessor_count = 0;
  std::uint32_t accessor_capacity = 0;
  std::uint16_t* accessor_index = nullptr;  // by thread: 1 + index; only where there are many accessors
  std::uint32_t accessor_index_size = 0;
  History
      seq_cst;  // seq_cst accesses by S-time: the last one, and of others those before some fence at least
  SeqTime delta = 0;  // the latest delta of a store that is not seq_cst, or was given an early place
  SeqTime forgotten =
      0;  // fences up to this one may happen before accesses of which nothing is known any more
  Soft* soft = nullptr;
  std::uint32_t soft_count = 0;
  std::uint32_t soft_capacity = 0;

  std::uint32_t slot(Sequence s) const { return s & (capacity - 1); }
  Store& store(Sequence s) { return stores[slot(s)]; }
  const Store& store(Sequence s) const { return stores[slot(s)]; }
  std::uint64_t* row(Sequence s) const { return rows + static_cast<std::size_t>(slot(s)) * words; }
  bool is_live(Sequence s) const { return s - first < end - first && test(live, slot(s)); }
  bool is_before(Sequence a, Sequence b) const { return test(row(b), slot(a)); }
  std::uint32_t block_of(std::uint32_t slot_index) const { return numbered[slot_index].block; }
  Sequence tail_of_block(std::uint32_t block) const { return numbered[block].tail; }
  Sequence tail_of(Sequence s) const { return tail_of_block(block_of(slot(s))); }
  // REQUIRES: one word.
  WordMasks& word() const { return *reinterpret_cast<WordMasks*>(live); }
  // The slot is about to be used again. REQUIRES: one word.
  [[gnu::always_inline]] void leave_block(std::uint32_t slot_index) const {
    numbered[block_of(slot_index)].members &= ~(1ull << slot_index);
  }
  bool is_tail(Sequence s) const { return test(tails, slot(s)); }
  // The store in a slot whose bit is set in `live`.
  Sequence sequence(std::uint32_t slot_index) const {
    return first + ((slot_index - first) & (capacity - 1));
  }

  // Is there one mo-maximal store, so that all others are before `newest`?
  [[gnu::always_inline]] bool has_single_maximum() const { return has_single_bit(maximal); }
  // Is there one chain of updates, and nothing else?
  [[gnu::always_inline]] bool has_single_tail() const { return has_single_bit(tails); }
  [[gnu::always_inline]] bool has_single_bit(const std::uint64_t* mask) const {
    return words == 1 ? (mask[0] & (mask[0] - 1)) == 0 : has_single_bit_of_many(mask);
  }
  bool has_single_bit_of_many(const std::uint64_t* mask) const {
    std::uint32_t n = 0;
    for (std::uint32_t w = 0; w < words; ++w) n += count_bits(mask[w]);
    return n == 1;
  }

  static bool test(const std::uint64_t* bits, std::uint32_t i) { return (bits[i / 64] >> (i % 64)) & 1; }
  static void set(std::uint64_t* bits, std::uint32_t i) { bits[i / 64] |= 1ull << (i % 64); }
  static void clear(std::uint64_t* bits, std::uint32_t i) { bits[i / 64] &= ~(1ull << (i % 64)); }
};

// A mask of slots in the order of execution: the newest slot is the top one of the `capacity` low bits, and
// bit i is the store x.end - x.capacity + i. REQUIRES: one word.
[[gnu::always_inline]] inline std::uint64_t newest_at_top(const Location& x, std::uint64_t mask) {
  const std::uint32_t shift = x.end & (x.capacity - 1);
  const std::uint64_t ones = x.capacity == 64 ? ~0ull : (1ull << x.capacity) - 1;
  return shift == 0 ? mask : ((mask >> shift) | (mask << (x.capacity - shift))) & ones;
}

// Calls f(sequence) for each store of `mask`, newest first.
template <typename F>
inline void for_each_newest_first(const Location& x, const std::uint64_t* mask, F f) {
  if (x.words == 1) {
    std::uint64_t m = newest_at_top(x, mask[0]);
    while (m != 0) {
      const auto top = static_cast<std::uint32_t>(63 - __builtin_clzll(m));
      m &= ~(1ull << top);
      f(x.end - x.capacity + top);
    }
    return;
  }
  for (Sequence s = x.end; s != x.first;) {
    --s;
    if (Location::test(mask, x.slot(s))) f(s);
  }
}

}  // namespace heddle::memory
