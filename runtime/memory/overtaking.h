// Overtaking: where a seq_cst operation may enter S other than at the end (docs/design/memory-model.md, "S is a
// list"). An operation that runs late may overtake those that it comes after in sb ∪ rf, if nothing says that they
// strongly happen before it: places are between lambda and delta of its thread (thread_clocks.h).
//
// A place bounds an access of x from below, as at the end, by what is before the place; and from above: the first
// seq_cst access of x after it, and each thread's first access of x that a fence after it happens before, are mo-after
// the access, or of the same store where they read. What is no longer known of either makes the place none. A fence
// has to leave each access that happens before it mo-before all that is above at its location.
//
// Owns: the places that were found for the operation under way. Called by the memory model where an operation may
// overtake at all, which is seldom: nothing here is hot.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "runtime/memory/location.h"
#include "runtime/memory/location_table.h"
#include "runtime/memory/models/model.h"
#include "runtime/memory/thread_clocks.h"
#include "runtime/memory/total_order.h"

namespace heddle::memory {

// A place in S: between two moments, or the end.
struct Spot {
  SeqTime before = 0;
  SeqTime after = 0;            // 0: the end
  std::uint32_t overtaken = 0;  // operations
  std::uint64_t allowed = 0;    // what a read may read there
  std::uint64_t below = 0;      // the bounds, of accesses
  std::uint64_t above = 0;

  bool is_end() const { return after == 0; }
  SeqTime time() const { return TotalOrder::between(before, after); }
};

struct SpotList {
  static constexpr std::uint32_t kMost = TotalOrder::kKept + TotalOrder::kMostInserted + 1;
  std::uint32_t count = 0;
  Spot spots[kMost];  // the end first, then from late to early
};

// What bounds from below: stores, and all that is mo-before them. REQUIRES of the location: one word.
struct BelowMasks {
  std::uint64_t known = 0;
  std::uint64_t excluded = 0;
  void add(const Location& x, Sequence s) {
    if (!x.is_live(s)) return;
    known |= 1ull << x.slot(s);
    excluded |= x.rows[x.slot(s)];
  }
};
// From above: strictly, by those that write.
struct AboveMasks {
  std::uint64_t strict = 0;
  std::uint64_t weak = 0;
  bool is_lost = false;  // there is a bound of which nothing is known any more
  std::uint64_t all() const { return strict | weak; }
};

class Overtaking {
 public:
  static constexpr std::uint32_t kMostFenced = 128;  // locations at which a fence may have to do something
  enum class Kind : std::uint8_t { kLoad, kUpdate, kStore };

  Overtaking(Arena& arena, ThreadClocks& threads, TotalOrder& order, const LocationTable& table)
      : arena_(arena), threads_(threads), order_(order), table_(table) {}
  void reset(const Model& model);

  // The places of an access by t, into the list. `end`: that at the end. Answers what may be read at any of them.
  std::uint64_t find(SpotList& list, const Location& x, ThreadId t, Kind kind, const Spot& end);
  // Of a seq_cst fence that has begun (ThreadClocks::begin_seq_cst_fence).
  void find_for_fence(SpotList& list, ThreadId t);
  // Calls f(location, below, above) for each location at which a fence of t has to be between the two.
  template <typename F>
  void for_each_fenced(ThreadId t, const Spot& spot, F f);

  // Was a place left out because too little is known of what is there?
  bool has_refused() const { return refused_; }
  void refuse() { refused_ = true; }

  AboveMasks above(const Location& x, SeqTime before) const;
  // The last seq_cst access of x at or before the moment that is no load which reads back. False: not known.
  bool last_access(const Location& x, SeqTime limit, Access& found) const;
  // Accesses by other threads that happen before t's next operation.
  static std::uint64_t by_others(const Location& x, const ThreadState& s, ThreadId t);
  // Would a seq_cst load of t read back, and not order S (LWG 3941)?
  bool reads_back(const Store& store, ThreadId t) const {
    return model_.reads_back_freely && store.writer == t && store.seq_time == 0 && !store.updates;
  }
  // The location and store of what was read back; null if one of them is gone.
  Location* find_read_back(const ReadBack& read, Sequence& store) const;
  // The store of a location with this step; kNoSequence: gone.
  static Sequence find_store(const Location& x, std::uint32_t step);

  // t has accessed x for the first time since its sigma rose.
  void note_access(const Location& x, const ThreadState& s);

 private:
  // A location that was accessed by who had this sigma.
  struct Note {
    Address address;
    std::uint32_t number;
    SeqTime sigma;
    std::uint8_t size;
  };
  static constexpr std::uint32_t kNotes = 256;

  bool below(const Location& x, const ThreadState& s, SeqTime before, BelowMasks& masks) const;
  std::uint64_t allowed(const Location& x, ThreadId t, Kind kind, const BelowMasks& below,
                        const AboveMasks& above, bool& fits) const;
  bool may_drain(const ThreadState& s, SeqTime before);
  bool may_fence(ThreadId t, const Spot& spot);
  bool collect_fenced(SeqTime from);

  Arena& arena_;
  ThreadClocks& threads_;
  TotalOrder& order_;
  const LocationTable& table_;
  Model model_;
  TotalOrder::Window window_{};
  bool refused_ = false;
  Location** fenced_ = nullptr;  // that a fence may have to do with
  std::uint32_t fenced_count_ = 0;
  Note* notes_ = nullptr;
  std::uint32_t note_count_ = 0;
  SeqTime forgotten_ = 0;  // the latest sigma of a note that has gone
};

template <typename F>
void Overtaking::for_each_fenced(ThreadId t, const Spot& spot, F f) {
  const ThreadState& s = threads_.state(t);
  for (std::uint32_t i = 0; i < fenced_count_; ++i) {
    Location& x = *fenced_[i];
    const AboveMasks over = above(x, spot.before);
    BelowMasks under;
    if (!over.is_lost && over.all() != 0) {
      for (std::uint32_t a = 0; a < x.accessor_count; ++a)
        under.add(x, x.accessors[a].history.at(s.clock[index_of(x.accessors[a].thread)]));
    }
    f(x, under, over);
  }
}

}  // namespace heddle::memory
