#include "tests/oracle/axioms.h"

namespace oracle {
namespace {

int count(const Execution& e) { return static_cast<int>(e.events.size()); }
const Event& at(const Execution& e, int i) { return e.events[static_cast<std::size_t>(i)]; }

bool is_seq_cst(const Event& e) { return e.kind != EventKind::kInitial && e.order == Order::kSeqCst; }

// Is it in Own: a seq_cst load that reads a plain store of its own thread?
bool reads_back(const Execution& e, int r) {
  const Event& load = at(e, r);
  if (load.kind != EventKind::kLoad || !is_seq_cst(load)) return false;
  const Event& store = at(e, load.reads_from);
  return store.kind == EventKind::kStore && store.thread == load.thread;
}

// The members of rs⁻¹(w): w itself if it writes, and what it continues if it is an update.
// Calls f(head) for each head whose release sequence contains w.
template <typename F>
void for_each_head(const Execution& e, int w, F f) {
  for (;;) {
    f(w);
    if (at(e, w).kind != EventKind::kUpdate) return;
    w = at(e, w).reads_from;
  }
}

// sw for the store `head` of a release sequence, read by `reader`.
void add_synchronisation(const Execution& e, const Relation& sb, int head, int reader, Relation& sw) {
  std::vector<int> releasers, acquirers;
  if (at(e, head).kind != EventKind::kInitial && releases(at(e, head).order)) releasers.push_back(head);
  if (acquires(at(e, reader).order)) acquirers.push_back(reader);
  for (int f = 0; f < count(e); ++f) {
    if (at(e, f).kind != EventKind::kFence) continue;
    if (releases(at(e, f).order) && sb.has(f, head)) releasers.push_back(f);
    if (acquires(at(e, f).order) && sb.has(reader, f)) acquirers.push_back(f);
  }
  for (int a : releasers) {
    for (int b : acquirers) sw.add(a, b);
  }
}

}  // namespace

Relation sequenced_before(const Execution& e) {
  Relation sb(count(e));
  for (int a = 0; a < count(e); ++a) {
    for (int b = a + 1; b < count(e); ++b) {
      if (at(e, a).thread >= 0 && at(e, a).thread == at(e, b).thread) sb.add(a, b);
    }
  }
  return sb;
}

Relation reads_from(const Execution& e) {
  Relation rf(count(e));
  for (int r = 0; r < count(e); ++r) {
    if (at(e, r).reads()) rf.add(at(e, r).reads_from, r);
  }
  return rf;
}

Relation modification_order(const Execution& e) {
  Relation mo(count(e));
  for (int a = 0; a < count(e); ++a) {
    for (int b = 0; b < count(e); ++b) {
      if (at(e, a).writes() && at(e, b).writes() && at(e, a).location == at(e, b).location &&
          at(e, a).mo_position < at(e, b).mo_position) {
        mo.add(a, b);
      }
    }
  }
  return mo;
}

Relation synchronises_with(const Execution& e) {
  const Relation sb = sequenced_before(e);
  Relation sw(count(e));
  for (int r = 0; r < count(e); ++r) {
    if (!at(e, r).reads()) continue;
    for_each_head(e, at(e, r).reads_from, [&](int head) { add_synchronisation(e, sb, head, r, sw); });
  }
  for (auto [a, b] : e.synchronises) sw.add(a, b);
  return sw;
}

Relation happens_before(const Execution& e) {
  Relation hb = sequenced_before(e);
  hb.add_all(synchronises_with(e));
  for (int a = 0; a < count(e); ++a) {  // initial stores happen before everything else
    for (int b = 0; b < count(e); ++b) {
      if (at(e, a).kind == EventKind::kInitial && at(e, b).kind != EventKind::kInitial) hb.add(a, b);
    }
  }
  hb.close();
  return hb;
}

Relation extended_coherence(const Relation& rf, const Relation& mo) {
  Relation rb = rf.inverse().then(mo);
  rb.remove_identity();
  Relation eco = rf;
  eco.add_all(mo);
  eco.add_all(rb);
  eco.close();
  return eco;
}

Relation strongly_happens_before(const Execution& e, const Relation& hb) {
  const Relation sb = sequenced_before(e);
  const Relation sw = synchronises_with(e);
  Relation strong = sb.then(hb).then(sb);
  strong.add_all(sb);
  for (int a = 0; a < count(e); ++a) {
    for (int b = 0; b < count(e); ++b) {
      if (sw.has(a, b) && is_seq_cst(at(e, a)) && is_seq_cst(at(e, b))) strong.add(a, b);
    }
  }
  strong.close();
  return strong;
}

Relation partial_sc(const Execution& e, const Relation& hb, const Relation& eco, bool repaired) {
  const int n = count(e);
  Relation left(n), right(n);
  for (int a = 0; a < n; ++a) {
    if (!is_seq_cst(at(e, a))) continue;
    left.add(a, a);
    right.add(a, a);
    for (int b = 0; b < n && at(e, a).kind == EventKind::kFence; ++b) {
      if (hb.has(a, b)) left.add(a, b);
      if (hb.has(b, a)) right.add(b, a);
    }
  }
  if (!repaired) return left.then(eco).then(right);
  // Into Own: what reading back orders, and what happens before by other threads does.
  Relation into(n);
  Relation drained(n);
  for (int r = 0; r < n; ++r) {
    if (!reads_back(e, r)) continue;
    for (int v = 0; v < n; ++v) {
      if (hb.has(v, r) && at(e, v).location == at(e, r).location && at(e, v).thread != at(e, r).thread)
        into.add(v, r);
    }
    for (int b = r + 1; b < n; ++b) {
      if (at(e, b).thread == at(e, r).thread && at(e, b).writes() && is_seq_cst(at(e, b))) drained.add(r, b);
    }
  }
  Relation outside = eco;
  Relation inside(n);
  for (int r = 0; r < n; ++r) {
    if (!reads_back(e, r)) continue;
    for (int a = 0; a < n; ++a) {
      if (eco.has(a, r)) inside.add(a, r);
      outside.remove(a, r);
    }
    outside.add(at(e, r).reads_from, r);
  }
  outside.add_all(into);
  outside.add_all(eco.then(into));
  Relation psc = left.then(outside).then(right);
  psc.add_all(left.then(inside).then(drained));
  return psc;
}

bool is_coherent(const Relation& hb, const Relation& eco) {
  return hb.irreflexive() && hb.then(eco).irreflexive();
}

bool is_atomic(const Execution& e) {
  for (int u = 0; u < count(e); ++u) {
    if (at(e, u).kind != EventKind::kUpdate) continue;
    const Event& read = at(e, at(e, u).reads_from);
    if (read.location != at(e, u).location || read.mo_position >= at(e, u).mo_position) return false;
    for (const Event& w : e.events) {
      if (w.writes() && w.location == read.location && w.mo_position > read.mo_position &&
          w.mo_position < at(e, u).mo_position) {
        return false;
      }
    }
  }
  return true;
}

bool is_causal(const Execution& e) {
  Relation causes = sequenced_before(e);
  causes.add_all(reads_from(e));
  causes.close();
  return causes.irreflexive();
}

bool is_seq_cst(const Execution& e, const Relation& hb, const Relation& eco, SeqCst axiom) {
  Relation order = partial_sc(e, hb, eco, axiom == SeqCst::kRepaired);
  if (axiom == SeqCst::kExecutionOrder) {
    order.add_all(hb);
    order.add_all(reads_from(e));
  } else {
    const Relation strong = strongly_happens_before(e, hb);
    for (int a = 0; a < count(e); ++a) {
      for (int b = 0; b < count(e); ++b) {
        if (is_seq_cst(at(e, a)) && is_seq_cst(at(e, b)) && strong.has(a, b)) order.add(a, b);
      }
    }
  }
  order.close();
  return order.irreflexive();
}

std::string violated_axiom(const Execution& e, SeqCst axiom) {
  const Relation hb = happens_before(e);
  const Relation eco = extended_coherence(reads_from(e), modification_order(e));
  if (!is_coherent(hb, eco)) return "coherence: hb;eco? is not irreflexive";
  if (!is_atomic(e)) return "atomicity: an update does not read the store immediately before it";
  if (!is_causal(e)) return "causality: sb ∪ rf has a cycle";
  if (!is_seq_cst(e, hb, eco, axiom)) return "seq_cst: no total order S exists";
  return {};
}

}  // namespace oracle
