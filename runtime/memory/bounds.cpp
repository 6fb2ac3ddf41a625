#include "runtime/memory/bounds.h"

#include <algorithm>

namespace heddle::memory {

void Bounds::reset() {
  words_ = 1;
  known_ = &known_word_;
  excluded_ = &excluded_word_;
}

void Bounds::clear(const Location& x) {
  if (x.words > words_) {
    if (words_ != 1) {
      arena_.release_array(known_, words_);
      arena_.release_array(excluded_, words_);
    }
    words_ = x.words;
    known_ = arena_.allocate_array<std::uint64_t>(words_);
    excluded_ = arena_.allocate_array<std::uint64_t>(words_);
  }
  known_[0] = excluded_[0] = 0;
  for (std::uint32_t w = 1; w < x.words; ++w) known_[w] = excluded_[w] = 0;
}

void Bounds::set_to_all(const Location& x) {
  clear(x);
  std::copy_n(x.live, x.words, known_);
  std::copy_n(x.live, x.words, excluded_);
  Location::clear(excluded_, x.slot(x.newest));
}

void Bounds::compute_fully(const Location& x, const ThreadClocks& clocks, ThreadId t, bool seq_cst,
                           bool writes, ModelKind model) {
  clear(x);
  // The initial store happens before everything; see Location::floor.
  if (x.floor != kNoSequence) add(x, x.floor);
  if (model == ModelKind::kC11Tester) {
    happens_before(x, clocks.state(t));
    c11_fences(x, clocks, t, seq_cst);
    if (seq_cst) c11_last_seq_cst_store(x, writes);
    return;
  }
  coherence(x, clocks, t, seq_cst);
  seq_cst_accesses(x, clocks.state(t), seq_cst);
}

// Axiom 1 ([intro.races]p15-18, the four coherence rules) and, through V and G, axiom 3 for fences: each
// thread's last access within V = C ⊔ G[sigma] is a bound, and for a seq_cst access its last access within G
// ([atomics.order]p4.3: it happens before a seq_cst fence that precedes this access in S). A read counts as
// the store that it read: counting writes only is unsound for IRIW with fences.
void Bounds::coherence(const Location& x, const ThreadClocks& clocks, ThreadId t, bool seq_cst) {
  const ThreadState& s = clocks.state(t);
  const std::uint32_t* global = seq_cst ? clocks.global_fence_clock() : nullptr;
  if (global == nullptr && s.sigma == 0) {
    happens_before(x, s);
    return;
  }
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    const Accessor& a = x.accessors[i];
    const std::uint32_t u = index_of(a.thread);
    const std::uint32_t fence = global != nullptr ? global[u] : s.fence_view->time(u);
    add(x, a.history.at(std::max(s.clock[u], fence)));
  }
}

void Bounds::happens_before(const Location& x, const ThreadState& s) {
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    const Accessor& a = x.accessors[i];
    add(x, a.history.at(s.clock[index_of(a.thread)]));
  }
}

// Axiom 3 for accesses, [atomics.order]p4.1-p4.2: seq_cst accesses of one location ascend in mo; one that
// precedes in S a seq_cst fence which happens before this access bounds it, whatever this access' order is.
void Bounds::seq_cst_accesses(const Location& x, const ThreadState& s, bool seq_cst) {
  if (seq_cst) {
    add(x, x.seq_cst.last.store);
  } else if (s.sigma != 0) {
    add(x, x.seq_cst.at(s.sigma - 1));
  }
}

// C11Tester Fig. 11, S1 to S3 of both prior sets, that is C++11 29.3p4-p7. G holds each thread's last fence;
// G[sigma] what t's own last fence saw of it. S2 of all threads together is the last seq_cst store before t's
// fence.
void Bounds::c11_fences(const Location& x, const ThreadClocks& clocks, ThreadId t, bool seq_cst) {
  const ThreadState& s = clocks.state(t);
  const std::uint32_t* global = seq_cst ? clocks.global_fence_clock() : nullptr;
  if (s.sigma != 0) add(x, x.seq_cst.at(s.sigma - 1));
  if (global == nullptr && s.sigma == 0) return;
  for_each_newest_first(x, x.live, [&](Sequence q) {
    const Store& store = x.store(q);
    if (store.writer == kNoThread) return;
    const std::uint32_t u = index_of(store.writer);
    const bool s1 = global != nullptr && store.epoch <= global[u];
    const bool s3 = s.sigma != 0 && store.epoch <= s.fence_view->time(u);
    if (s1 || s3) add(x, q);
  });
}

// C11Tester Fig. 10 lines 9-10 (29.3p3): a seq_cst load reads the last seq_cst store S, or one that is
// neither seq_cst before S nor happens before S; that other store stays unordered with S. Fig. 11
// WRITEPRIORSET lines 3-5: a seq_cst store comes after S; an update's read must then not be mo-before S.
void Bounds::c11_last_seq_cst_store(const Location& x, bool writes) {
  const Sequence last = x.seq_cst.last.store;
  if (!x.is_live(last)) return;
  if (writes) add(x, last);
  for_each_newest_first(x, x.live, [&](Sequence q) {
    const Store& store = x.store(q);
    const bool initial = store.writer == kNoThread;
    if (q != last && (initial || store.seq_cst || x.store(last).message.knows(store.writer, store.epoch))) {
      Location::set(excluded_, x.slot(q));
    }
  });
}

}  // namespace heddle::memory
