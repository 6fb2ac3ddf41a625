// TotalOrder: S, the total order of all seq_cst operations and fences ([atomics.order]p4), as far back as it may
// still grow. An operation that is executed may enter S before operations that were executed earlier.
//
// Moments. Each operation has an S-time for good: a later place in S is a larger number. One that is put at the end
// gets the next multiple of kGap, one that is put between others gets a number between theirs. So histories, clocks
// and messages hold plain numbers.
//
// What is kept: the last kKept operations that were put at the end, and what was put between them. No operation is
// put before the oldest of these, unless nothing has gone yet. After kLimit the gaps are used up: everything goes to
// the end.
//
// Owns: the operations and the clocks of the fences among them. Invariant: window() is ascending.
// Called by the memory model at each seq_cst operation; append() is the hot path.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "runtime/memory/location.h"
#include "runtime/memory/view.h"

namespace heddle::memory {

struct SeqEvent {
  // A load that reads back a plain store of its own thread (LWG 3941): it orders nothing after that store.
  static constexpr std::uintptr_t kReadsBack = 2;

  std::uintptr_t bits = 0;  // the location, and whether it is a load that reads back; no location: a fence
  std::uint32_t store = 0;  // what was read or written, by its step: written if that store has this S-time
  SeqTime previous = 0;     // the seq_cst access of the location before it, as far as known; 0: none

  const Location* location() const { return reinterpret_cast<const Location*>(bits & ~std::uintptr_t{7}); }
  bool reads_back() const { return (bits & kReadsBack) != 0; }
};
static_assert(sizeof(SeqEvent) == 16);

struct TimedEvent : SeqEvent {
  SeqTime time = 0;
};

class TotalOrder {
 public:
  static constexpr SeqTime kGap = 4096;
  static constexpr std::uint32_t kKept = 64;
  static constexpr std::uint32_t kMostInserted = 64;
  static constexpr SeqTime kLimit = 0xf0000000;

  TotalOrder(Arena& arena, ViewPool& views) : arena_(arena), views_(views) {}
  // The arena has been reset.
  void reset();

  SeqTime last() const { return last_; }
  // Puts an access at the end.
  [[gnu::always_inline]] SeqTime append(const Location& x, std::uint32_t store, std::uintptr_t what) {
    last_ += kGap;
    if (last_ > kLimit) [[unlikely]]
      last_ -= kGap - 1;
    SeqEvent& event = at(last_);
    event.bits = reinterpret_cast<std::uintptr_t>(&x) | what;
    event.store = store;
    event.previous = x.seq_cst.last.time;
    return last_;
  }
  // Is an access of x the last of all?
  [[gnu::always_inline]] bool ends_with(const Location& x) const {
    return at(last_).bits == reinterpret_cast<std::uintptr_t>(&x);
  }
  // The latest fence.
  SeqTime last_fence() const { return last_fence_; }

  // Everything kept, in the order of S. Valid until the next change.
  struct Window {
    const TimedEvent* events;
    std::uint32_t count;
    bool whole;  // nothing has gone
  };
  Window window();
  // A moment between two; 0: there is none left.
  static SeqTime between(SeqTime before, SeqTime after) {
    const SeqTime gap = after - before;
    // Who has moved goes on moving: what comes next in the same thread goes between this and `after`.
    return gap < 2 ? 0 : before + (gap / 4 != 0 ? gap / 4 : 1);
  }
  bool has_room() const { return inserted_count_ < kMostInserted; }
  // REQUIRES: has_room().
  void insert(SeqTime time, const Location* x, std::uint32_t store, SeqTime previous, std::uintptr_t what);

  // --- fences. G of a fence is the join of the clocks of all fences up to it in S.
  // Takes over the reference.
  SeqTime append_fence(View* g);
  // G of the fences up to `time`; null: there is none.
  View* fence_view(SeqTime time) const;
  // May a fence be put there, whose clock has this width? Its own G and that of all later ones has to hold it.
  bool may_insert_fence(SeqTime time, std::uint32_t width) const;
  // A fence with this clock and G, before the end. Answers the view of G. REQUIRES: has_room(), may_insert_fence().
  View* insert_fence(SeqTime time, const std::uint32_t* clock, const std::uint32_t* g, std::uint32_t width);

  // The location goes.
  void forget(const Location& x);

 private:
  struct Fence {
    SeqTime time;
    View* g;
  };
  // Where what is put at the end at this time is kept.
  [[gnu::always_inline]] SeqEvent& at(SeqTime time) { return ring_[time / kGap % kKept]; }
  [[gnu::always_inline]] const SeqEvent& at(SeqTime time) const { return ring_[time / kGap % kKept]; }
  SeqTime oldest() const;
  void forget_old();
  void add_fence(std::uint32_t at, const Fence& fence);

  Arena& arena_;
  ViewPool& views_;
  SeqTime last_ = 0;
  SeqTime last_fence_ = 0;
  std::uint32_t inserted_count_ = 0;
  std::uint32_t fence_count_ = 0;
  std::uint32_t fence_capacity_ = 0;
  Fence* fences_ = nullptr;  // ascending; of those before the oldest operation only the last
  SeqEvent ring_[kKept];
  TimedEvent inserted_[kMostInserted];  // ascending
  TimedEvent window_[kKept + kMostInserted];
};

}  // namespace heddle::memory
