// Which stores of a location a thread is bound by: it may read none that is mo-before one of them, and what
// it writes comes after them all. Which rules there are is the model's to say (models/model.h).
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "runtime/memory/location.h"
#include "runtime/memory/models/model.h"
#include "runtime/memory/thread_clocks.h"

namespace heddle::memory {

// Bounds where a mask is one word.
struct WordBounds {
  std::uint64_t known = 0;
  std::uint64_t excluded = 0;
};

class Bounds {
 public:
  explicit Bounds(Arena& arena) : arena_(arena) {}
  void reset();

  // Nearly all accesses: few stores, a model whose bounds fit, and no seq_cst fence that this access has to do
  // with.
  static bool are_in_a_word(const Location& x, const ThreadClocks& clocks, const ThreadState& s, bool seq_cst,
                            const Model& model) {
    return x.words == 1 && model.fits_in_a_word && s.sigma == 0 &&
           (!seq_cst || (clocks.global_fence_clock() == nullptr && x.soft_count == 0));
  }
  // compute() for those.
  [[gnu::always_inline]] static WordBounds in_a_word(const Location& x, const ThreadState& s,
                                                     const Accessor* own, bool seq_cst);

  // The bounds of an access, as masks over the location's slots. `own`: the thread's accessor, null if it has
  // none or nobody has looked.
  void compute(const Location& x, const ThreadClocks& clocks, const BoundAccess& access, const Model& model,
               const Accessor* own = nullptr) {
    const ThreadState& s = clocks.state(access.thread);
    if (are_in_a_word(x, clocks, s, access.seq_cst, model)) {
      const WordBounds bounds = in_a_word(x, s, own, access.seq_cst);
      known_[0] = bounds.known;
      excluded_[0] = bounds.excluded;
    } else {
      compute_fully(x, clocks, access, model);
    }
  }
  // As if t had to read the newest store and write after all.
  void set_to_all(const Location& x);

  // --- for models.
  void add(const Location& x, Sequence s) {
    if (!x.is_live(s)) return;
    Location::set(known_, x.slot(s));
    const std::uint64_t* row = x.row(s);
    excluded_[0] |= row[0];
    for (std::uint32_t w = 1; w < x.words; ++w) excluded_[w] |= row[w];
  }
  // The store may not be read, but nothing is ordered by it.
  void exclude(const Location& x, Sequence s) { Location::set(excluded_, x.slot(s)); }
  void add_happens_before(const Location& x, const ThreadState& s) {
    for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
      const Accessor& a = x.accessors[i];
      add(x, a.history.at(s.clock[index_of(a.thread)]));
    }
  }

  const std::uint64_t* known() const { return known_; }
  const std::uint64_t* excluded() const { return excluded_; }

 private:
  void compute_fully(const Location& x, const ThreadClocks& clocks, const BoundAccess& access,
                     const Model& model);
  void clear(const Location& x);

  Arena& arena_;
  // One word mostly suffices. More come from the arena.
  std::uint64_t known_word_ = 0;
  std::uint64_t excluded_word_ = 0;
  std::uint64_t* known_ = &known_word_;
  std::uint64_t* excluded_ = &excluded_word_;
  std::uint32_t words_ = 1;
};

// Axiom 1 as in add_happens_before(), and axiom 3 for seq_cst accesses as in models/cxx20.h.
inline WordBounds Bounds::in_a_word(const Location& x, const ThreadState& s, const Accessor* own,
                                    bool seq_cst) {
  std::uint64_t known = 0, excluded = 0;
  const std::uint64_t live = x.live[0];
  const auto bind = [&](Sequence q) __attribute__((always_inline)) {
    if (q - x.first >= x.end - x.first) return;
    const std::uint32_t slot = x.slot(q);
    const std::uint64_t bit = (1ull << slot) & live;
    known |= bit;
    excluded |= bit != 0 ? x.rows[slot] : 0;
  };
  // The initial store happens before everything; see Location::floor.
  if (x.floor != kNoSequence) bind(x.floor);
  const auto visit = [&](const Accessor& a) __attribute__((always_inline)) {
    if (!a.history.begins_by(s.clock[index_of(a.thread)])) return;
    // What a thread accessed last is mo-after all that it accessed before. If that is gone or bounds nothing
    // new, so are the others.
    const Sequence last = a.history.last.store;
    if (last - x.first >= x.end - x.first || ((excluded >> x.slot(last)) & 1) != 0) return;
    bind(a.history.at(s.clock[index_of(a.thread)]));
  };
  // t's own last access is mo-after all that it accessed before.
  if (own != nullptr) bind(own->history.last.store);
  // Others bind t by what it knows of them. What it knew then is before what it accessed last; and what they
  // have accessed since has a time that it does not know.
  if (own == nullptr || own->lessons != s.lessons) {
    for (const Accessor *a = x.accessors, *end = a + x.accessor_count; a != end; ++a) {
      if (a != own) visit(*a);
    }
  }
  if (seq_cst) bind(x.seq_cst.last.store);
  return {known, excluded};
}

}  // namespace heddle::memory
