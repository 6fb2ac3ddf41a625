// c11tester: the paper's Figs. 10 and 11, that is C++11 29.3p3-7 for seq_cst. It works on our modification order,
// so without the paper's forbidden cycles through chains of updates.
#pragma once

#include "runtime/memory/bounds.h"
#include "runtime/memory/models/model.h"

namespace heddle::memory {

class C11Tester {
 public:
  static void bind(Bounds& bounds, const Location& x, const ThreadClocks& clocks, const BoundAccess& access) {
    bounds.add_happens_before(x, clocks.state(access.thread));
    fences(bounds, x, clocks, access);
    if (access.seq_cst) last_seq_cst_store(bounds, x, access.writes);
  }

  // Under C++11's rules G holds each thread's own last fence only (F_t, F_b of Fig. 11).
  static void join_fence(std::uint32_t* global, const std::uint32_t* clock, std::uint32_t, std::uint32_t t) {
    global[t] = clock[t];
  }

 private:
  // Fig. 11, S1 to S3 of both prior sets, that is C++11 29.3p4-p7. G holds each thread's last fence; G[sigma]
  // what t's own last fence saw of it. S2 of all threads together is the last seq_cst store before t's fence.
  static void fences(Bounds& bounds, const Location& x, const ThreadClocks& clocks,
                     const BoundAccess& access) {
    const ThreadState& s = clocks.state(access.thread);
    const std::uint32_t* global = access.seq_cst ? clocks.global_fence_clock() : nullptr;
    if (s.sigma != 0) bounds.add(x, x.seq_cst.at(s.sigma - 1));
    if (global == nullptr && s.sigma == 0) return;
    for_each_newest_first(x, x.live, [&](Sequence q) {
      const Store& store = x.store(q);
      if (store.writer == kNoThread) return;
      const std::uint32_t u = index_of(store.writer);
      const bool s1 = global != nullptr && store.epoch <= global[u];
      const bool s3 = s.sigma != 0 && store.epoch <= s.fence_view->time(u);
      if (s1 || s3) bounds.add(x, q);
    });
  }

  // Fig. 10 lines 9-10 (29.3p3): a seq_cst load reads the last seq_cst store S, or one that is neither seq_cst
  // before S nor happens before S; that other store stays unordered with S. Fig. 11 WRITEPRIORSET lines 3-5: a
  // seq_cst store comes after S; an update's read must then not be mo-before S.
  static void last_seq_cst_store(Bounds& bounds, const Location& x, bool writes) {
    const Sequence last = x.seq_cst.last.store;
    if (!x.is_live(last)) return;
    if (writes) bounds.add(x, last);
    for_each_newest_first(x, x.live, [&](Sequence q) {
      const Store& store = x.store(q);
      const bool initial = store.writer == kNoThread;
      if (q != last &&
          (initial || store.seq_time != 0 || x.store(last).message.knows(store.writer, store.epoch)))
        bounds.exclude(x, q);
    });
  }

 public:
  // The rules know a thread's own fences only: messages carry none.
  static constexpr Model kModel = {.reads_old_stores = true,
                                   .fits_in_a_word = false,
                                   .seq_cst_reads_bind = false,
                                   .failure_differs = true,
                                   .messages_carry_fences = false,
                                   .overtakes = false,
                                   .reads_back_freely = false,
                                   .bind = bind,
                                   .join_fence = join_fence};
};

}  // namespace heddle::memory
