// The modification order of each location as a growing set of constraints (C11Tester §4), without rollback: a
// new store only gets incoming edges, and a read adds edges only towards a store that reaches none of their
// sources, so that a cycle can never arise.
//
// modification_order.cpp has the edges, order_slots.cpp the memory, order_forgetting.cpp the stores that go,
// order_positions.cpp the final places, history.cpp who accessed what.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "runtime/memory/location.h"
#include "runtime/memory/thread_clocks.h"
#include "runtime/memory/view.h"

namespace heddle::memory {

// The final place of a recorded store; 1 is the first after the initial value.
struct MoPosition {
  EventId event = kNoEvent;
  std::uint32_t position = 0;
};

class ModificationOrder {
 public:
  ModificationOrder(Arena& arena, ViewPool& views, const ThreadClocks& threads)
      : arena_(arena), views_(views), threads_(threads) {}

  void reset(bool record);

  void allocate(Location& x, std::uint32_t capacity);
  void release(Location& x);  // all its memory except the Location itself

  // A new store that is mo-after every store of `known`. REQUIRES: room, that is end - first < capacity.
  Sequence append_store(Location& x, const std::uint64_t* known);
  // A new store that is mo-after all others. REQUIRES: room.
  Sequence append_last(Location& x);
  // An update that reads a store which nothing is after. REQUIRES: room; one word.
  [[gnu::always_inline]] static Sequence append_to_maximal(Location& x, Sequence read) {
    const std::uint32_t read_slot = x.slot(read);
    const Sequence s = x.end++;
    const std::uint32_t slot = x.slot(s);
    const std::uint64_t bit = 1ull << slot;
    const std::uint64_t read_bit = 1ull << read_slot;
    WordMasks& masks = x.word();
    x.rows[slot] = x.rows[read_slot] | read_bit;
    masks.live |= bit;
    masks.maximal = (masks.maximal & ~read_bit) | bit;
    masks.tails = (masks.tails & ~read_bit) | bit;
    join_block(x, s, x.block_of(read_slot));
    return x.newest = s;
  }
  // An update that reads `read`. REQUIRES: room; read is the tail of its block.
  Sequence append_update(Location& x, Sequence read);
  // A read of `read` by someone who knows of `known`: edges known → read ([intro.races]p15-18). REQUIRES:
  // read is before no store of `known`.
  void constrain_read(Location& x, const std::uint64_t* known, Sequence read) {
    if (x.words == 1 && (known[0] & ~x.rows[x.slot(read)] & ~(1ull << x.slot(read))) == 0) return;
    add_constraints(x, known, read);
  }

  // Renumbers the live stores from 0 and moves them into `capacity` slots.
  void rebuild(Location& x, std::uint32_t capacity);

  // Forgets the stores of `dropped`. They precede all others in the final modification order. REQUIRES: with
  // a store all that are mo-before it are dropped, some live store is not, and a block that is dropped in
  // part precedes all stores that stay.
  void erase(Location& x, std::uint64_t* dropped);
  // Lets the oldest store go, soundly: with it goes all that is mo-before it (C11Tester §6.1, aggressive
  // mode).
  void drop_oldest(Location& x);
  // Lets the oldest stores go until at most `span` slots are taken; all at once where that is as simple as it
  // mostly is.
  void drop_down_to(Location& x, std::uint32_t span);

  // Gives all stores of the location their final places.
  void settle(Location& x);
  std::span<const MoPosition> positions() const { return {log_, log_size_}; }

  // Scratch for a mask of the location's width, valid until the next call with the same number (0..3).
  std::uint64_t* scratch(const Location& x, std::uint32_t number);

  void record_access(Location& x, History& history, std::uint32_t time, Sequence store) {
    if (history.last.store == store) return;
    if (history.last.time != time && history.last.store != kNoSequence) {
      if (history.count == history.capacity) make_room(x, history);
      history.older[history.count++] = history.last;
    }
    history.last = {time, store};
  }
  // The same at the end of S: what came last before a fence has to stay known.
  [[gnu::always_inline]] void record_at_end(Location& x, SeqTime time, SeqTime last_fence, Sequence store) {
    if (x.seq_cst.last.time < last_fence && x.seq_cst.last.store != kNoSequence) push_seq_cst(x);
    x.seq_cst.last = {time, store};
  }
  // An access of the same store once more, which is told from the one before.
  void record_again(Location& x, History& history, std::uint32_t time);
  // An entry between others.
  void insert_access(Location& x, History& history, const Access& access);
  void add_soft(Location& x, const Soft& soft);
  // What t has accessed; null if it has accessed nothing here.
  static Accessor* find_accessor(const Location& x, ThreadId t) {
    if (x.accessor_index == nullptr) {
      for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
        if (x.accessors[i].thread == t) return &x.accessors[i];
      }
      return nullptr;
    }
    const std::uint32_t i = index_of(t) < x.accessor_index_size ? x.accessor_index[index_of(t)] : 0;
    return i != 0 ? &x.accessors[i - 1] : nullptr;
  }
  Accessor& accessor(Location& x, ThreadId t) {
    Accessor* known = find_accessor(x, t);
    return known != nullptr ? *known : add_accessor(x, t);
  }
  void index_accessors(Location& x, std::uint32_t threads);

 private:
  // The new store s becomes the last one of a block. REQUIRES: one word.
  [[gnu::always_inline]] static void join_block(Location& x, Sequence s, std::uint32_t block) {
    const std::uint32_t slot = x.slot(s);
    x.leave_block(slot);
    x.numbered[slot].block = block;
    x.numbered[block].members |= 1ull << slot;
    x.numbered[block].tail = s;
    x.word().chains |= 1ull << block;
  }
  void add_constraints(Location& x, const std::uint64_t* known, Sequence read);
  void add_edges_from_block(Location& x, Sequence from, std::uint64_t* to_row);
  static std::uint64_t sources(const Location& x, std::uint64_t known);
  Sequence add_block(Location& x);
  static Sequence add_block_in_a_word(Location& x, std::uint64_t row);
  bool grow_in_place(Location& x, std::uint32_t capacity);
  void find_newest(Location& x);
  bool may_drop_at_once(const Location& x, const std::uint64_t* dropped);
  static void remap(History& history, const Location& old, const Sequence* new_number);
  void push_seq_cst(Location& x);
  void make_room(Location& x, History& history);
  void compact(Location& x, History& history);
  Accessor& add_accessor(Location& x, ThreadId t);
  void sweep_accessors(Location& x);
  void assign_positions(Location& x, std::uint64_t* remaining);
  void log_position(Location& x, Sequence s);

  Arena& arena_;
  ViewPool& views_;
  const ThreadClocks& threads_;
  bool record_ = false;
  MoPosition* log_ = nullptr;
  std::uint32_t log_size_ = 0;
  std::uint32_t log_capacity_ = 0;
  std::uint64_t* scratch_[4] = {};
  std::uint32_t scratch_words_ = 0;
};

}  // namespace heddle::memory
