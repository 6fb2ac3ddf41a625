// Which stores of a location a thread is bound by: it may read none that is mo-before one of them, and what
// it writes comes after them all. One function per rule.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/trace/run_spec.h"
#include "runtime/memory/location.h"
#include "runtime/memory/thread_clocks.h"

namespace heddle::memory {

class Bounds {
 public:
  explicit Bounds(Arena& arena) : arena_(arena) {}
  void reset();

  // The bounds of an access by t, as masks over the location's slots. `writes`: a store or update.
  void compute(const Location& x, const ThreadClocks& clocks, ThreadId t, bool seq_cst, bool writes,
               ModelKind model);
  // As if t had to read the newest store and write after all.
  void set_to_all(const Location& x);

  const std::uint64_t* known() const { return known_; }
  const std::uint64_t* excluded() const { return excluded_; }

 private:
  void clear(const Location& x);
  void add(const Location& x, Sequence s) {
    if (!x.is_live(s)) return;
    Location::set(known_, x.slot(s));
    const std::uint64_t* row = x.row(s);
    excluded_[0] |= row[0];
    for (std::uint32_t w = 1; w < x.words; ++w) excluded_[w] |= row[w];
  }

  void coherence(const Location& x, const ThreadClocks& clocks, ThreadId t, bool seq_cst);
  void seq_cst_accesses(const Location& x, const ThreadState& s, bool seq_cst);
  void happens_before(const Location& x, const ThreadState& s, ThreadId t);
  void c11_fences(const Location& x, const ThreadClocks& clocks, ThreadId t, bool seq_cst);

  void c11_last_seq_cst_store(const Location& x, bool writes);

  Arena& arena_;
  std::uint64_t* known_ = nullptr;
  std::uint64_t* excluded_ = nullptr;
  std::uint32_t words_ = 0;
};

}  // namespace heddle::memory
