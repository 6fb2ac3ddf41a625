// c++20: coherence, atomicity and [atomics.order]p4, repaired for LWG 3941, by the operational rule of
// docs/design/memory-model.md. Equal to the axioms but for one documented limit: no load buffering. Here are the bounds
// at the end of S; those before it are in overtaking.cpp. c++20-words has the words of p4.
#pragma once

#include <algorithm>

#include "runtime/memory/bounds.h"
#include "runtime/memory/models/model.h"

namespace heddle::memory {

class Cxx20 {
 public:
  static void bind(Bounds& bounds, const Location& x, const ThreadClocks& clocks, const BoundAccess& access) {
    coherence(bounds, x, clocks, access);
    seq_cst_accesses(bounds, x, clocks.state(access.thread), access.seq_cst);
  }

  // [atomics.order]p4: the fence is in S; what happens before it is before what happens after any later one.
  // G ⊔= C; V ⊔= G; sigma = now.
  static void join_fence(std::uint32_t* global, const std::uint32_t* clock, std::uint32_t width,
                         std::uint32_t) {
    for (std::uint32_t i = 0; i < width; ++i) global[i] = std::max(global[i], clock[i]);
  }

 private:
  // Axiom 1 ([intro.races]p15-18, the four coherence rules) and, through V and G, axiom 3 for fences: each
  // thread's last access within V = C ⊔ G[sigma] is a bound, and for a seq_cst access its last access within G
  // ([atomics.order]p4.3: it happens before a seq_cst fence that precedes this access in S). A read counts as
  // the store that it read: counting writes only is unsound for IRIW with fences.
  static void coherence(Bounds& bounds, const Location& x, const ThreadClocks& clocks,
                        const BoundAccess& access) {
    const ThreadState& s = clocks.state(access.thread);
    const std::uint32_t* global = access.seq_cst ? clocks.global_fence_clock() : nullptr;
    if (global == nullptr && s.sigma == 0) {
      bounds.add_happens_before(x, s);
      return;
    }
    for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
      const Accessor& a = x.accessors[i];
      const std::uint32_t u = index_of(a.thread);
      const std::uint32_t fence = global != nullptr ? global[u] : s.fence_view->time(u);
      bounds.add(x, a.history.at(std::max(s.clock[u], fence)));
    }
  }

  // Axiom 3 for accesses, [atomics.order]p4.1-p4.2: seq_cst accesses of one location ascend in mo; one that
  // precedes in S a seq_cst fence which happens before this access bounds it, whatever this access' order is.
  static void seq_cst_accesses(Bounds& bounds, const Location& x, const ThreadState& s, bool seq_cst) {
    if (!seq_cst && s.sigma == 0) return;
    const Access last = seq_cst ? x.seq_cst.last : x.seq_cst.entry_at(s.sigma);
    bounds.add(x, last.store);
    for (std::uint32_t i = 0; i < x.soft_count; ++i) {
      if (x.soft[i].time > last.time && (seq_cst || x.soft[i].time <= s.sigma))
        bounds.add(x, x.soft[i].store);
    }
  }

 public:
  static constexpr Model kModel = {.reads_old_stores = true,
                                   .fits_in_a_word = true,
                                   .seq_cst_reads_bind = true,
                                   .failure_differs = false,
                                   .messages_carry_fences = true,
                                   .overtakes = true,
                                   .reads_back_freely = true,
                                   .bind = bind,
                                   .join_fence = join_fence};
};

// The words of C++20's [atomics.order]p4, for comparison.
class Cxx20Words {
 public:
  static constexpr Model kModel = [] {
    Model model = Cxx20::kModel;
    model.reads_back_freely = false;
    return model;
  }();
};

}  // namespace heddle::memory
