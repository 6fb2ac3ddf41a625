#include "tool/constraints/axioms.h"

#include <algorithm>

namespace heddle::constraints {
namespace {

class Check {
 public:
  Check(const Structure& s, const Execution& execution, const std::vector<std::uint32_t>& position,
        const HappensBefore& hb, const std::function<void(const Violation&)>& report)
      : s_(s), e_(execution), position_(position), hb_(hb), report_(report) {
    for (ActionId i : s_.observed()) {
      if (s_.action(i).kind == EventKind::kFence && is_seq_cst(s_.action(i).order)) fences_.push_back(i);
    }
  }

  void run() {
    for (const Cell& cell : s_.cells()) {
      if (!cell.weak) continue;
      check_coherence(cell);
      check_atomicity(cell);
    }
    if (found_) return;
    for (const Cell& cell : s_.cells()) {
      if (cell.weak) check_seq_cst(cell);
    }
  }

 private:
  std::uint32_t place(ActionId w) const { return w == kNoAction ? 0 : e_.modification[w]; }
  ActionId source(ActionId read) const { return e_.sources[s_.first_part(read)]; }

  void report(const Violation& v) {
    found_ = true;
    report_(v);
  }

  static std::vector<ActionId> accesses(const Cell& cell) {
    std::vector<ActionId> all(cell.writes);
    all.insert(all.end(), cell.reads.begin(), cell.reads.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // Axiom 1. Of what a thread did to the cell, the last that happens before an access has the others behind
  // it.
  void check_coherence(const Cell& cell) {
    std::vector<std::vector<ActionId>> by_thread(s_.thread_count());
    for (ActionId i : accesses(cell)) by_thread[s_.thread_index(i)].push_back(i);
    for (const std::vector<ActionId>& mine : by_thread) {
      for (ActionId b : mine) {
        for (const std::vector<ActionId>& theirs : by_thread) {
          const auto after = std::partition_point(theirs.begin(), theirs.end(),
                                                  [&](ActionId a) { return hb_.before(a, b); });
          if (after != theirs.begin()) check_pair(*std::prev(after), b);
        }
      }
    }
  }

  // CoWW, CoRW, CoWR, CoRR: what `a` wrote or read is not after what `b` reads or writes.
  void check_pair(ActionId a, ActionId b) {
    const ActionId x = write_of(s_, e_, a);
    const ActionId y = s_.action(b).reads() ? source(b) : b;
    if (x != y && place(x) >= place(y)) report({Axiom::kCoherence, a, b, kNoAction, kNoAction});
  }

  // Axiom 2.
  void check_atomicity(const Cell& cell) {
    std::vector<ActionId> writes = cell.writes;
    std::sort(writes.begin(), writes.end(), [&](ActionId a, ActionId b) { return place(a) < place(b); });
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (!s_.action(writes[i]).reads()) continue;
      const ActionId before = i == 0 ? kNoAction : writes[i - 1];
      if (source(writes[i]) != before) report({Axiom::kAtomicity, before, writes[i], kNoAction, kNoAction});
    }
  }

  // Axiom 3: psc = ([Esc] ∪ [Fsc] ; hb) ; eco ; ([Esc] ∪ hb ; [Fsc]) agrees with the order of execution. With
  // the modification order total, eco is the order of these ranks: a write, then who only reads it, then the
  // next write.
  struct Ranked {
    ActionId id, left, right;
    std::uint64_t rank;
  };

  Ranked ranked(ActionId i) const {
    const Action& a = s_.action(i);
    const bool strong = a.is_atomic() && is_seq_cst(a.order);
    Ranked result{i, strong ? i : kNoAction, strong ? i : kNoAction,
                  2 * std::uint64_t{place(write_of(s_, e_, i))} + (a.writes() ? 0 : 1)};
    for (ActionId f : fences_) {
      if (hb_.before(f, i) && (result.left == kNoAction || position_[f] > position_[result.left]))
        result.left = f;
      if (hb_.before(i, f) && (result.right == kNoAction || position_[f] < position_[result.right]))
        result.right = f;
    }
    return result;
  }

  void check_seq_cst(const Cell& cell) {
    std::vector<Ranked> all;
    for (ActionId i : accesses(cell)) {
      const Ranked r = ranked(i);
      if (r.left != kNoAction || r.right != kNoAction) all.push_back(r);
    }
    std::sort(all.begin(), all.end(), [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
    const Ranked* latest = nullptr;  // of those of smaller rank, the one whose left end executes last
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      for (; end < all.size() && all[end].rank == all[begin].rank; ++end) {
        const Ranked& b = all[end];
        if (latest == nullptr || b.right == kNoAction || position_[latest->left] < position_[b.right])
          continue;
        report({Axiom::kSeqCst, latest->id, b.id, latest->left, b.right});
      }
      for (; begin < end; ++begin) {
        const Ranked& a = all[begin];
        if (a.left != kNoAction && (latest == nullptr || position_[a.left] > position_[latest->left]))
          latest = &a;
      }
    }
  }

  const Structure& s_;
  const Execution& e_;
  const std::vector<std::uint32_t>& position_;
  const HappensBefore& hb_;
  const std::function<void(const Violation&)>& report_;
  std::vector<ActionId> fences_;
  bool found_ = false;
};

}  // namespace

void for_each_violation(const Structure& s, const Execution& execution,
                        const std::vector<std::uint32_t>& position, const HappensBefore& hb,
                        const std::function<void(const Violation&)>& report) {
  Check(s, execution, position, hb, report).run();
}

}  // namespace heddle::constraints
