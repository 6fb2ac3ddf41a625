#include "tool/constraints/candidates.h"

#include <algorithm>

#include "tool/constraints/expressions.h"

namespace heddle::constraints {

Candidates::Candidates(const Structure& structure) : s_(structure), writes_(structure.cells().size()) {
  for (CellId c = 0; c < writes_.size(); ++c) {
    if (s_.cells()[c].writes.empty()) continue;
    writes_[c].resize(s_.thread_count());
    for (ActionId w : s_.cells()[c].writes) writes_[c][s_.thread_index(w)].push_back(w);
    for (std::vector<ActionId>& own : writes_[c]) {
      std::sort(own.begin(), own.end(),
                [&](ActionId a, ActionId b) { return s_.ordinal(a) < s_.ordinal(b); });
    }
  }
}

std::vector<ActionId> Candidates::of(PartId part) const {
  const CellId cell = s_.parts()[part].cell;
  const ActionId read = s_.parts()[part].action;
  std::vector<ActionId> result;
  std::vector<ActionId> latest;  // of each thread, among those that come before in every schedule
  for (const std::vector<ActionId>& own : writes_[cell]) {
    const auto first_free =
        std::partition_point(own.begin(), own.end(), [&](ActionId w) { return s_.precedes(w, read); });
    if (first_free != own.begin()) latest.push_back(*std::prev(first_free));
    for (auto w = first_free; w != own.end() && *w != read && !s_.precedes(read, *w); ++w)
      result.push_back(*w);
  }
  for (ActionId w : latest) {
    const bool hidden =
        std::any_of(latest.begin(), latest.end(), [&](ActionId other) { return s_.precedes(w, other); });
    if (!hidden) result.push_back(w);
  }
  std::erase_if(result, [&](ActionId w) { return excluded_by_locks(read, w, cell); });
  std::sort(result.begin(), result.end());
  // A read that nobody computes with may read what nobody knows.
  const bool may_be_initial = s_.cells()[cell].has_initial || s_.action(read).symbol == kConcrete;
  if (latest.empty() && may_be_initial) result.push_back(kNoAction);
  return result;
}

// The write of the same thread and cell next to `id`, which need not write itself.
ActionId Candidates::neighbour(ActionId id, CellId cell, bool next) const {
  const std::vector<ActionId>& own = writes_[cell][s_.thread_index(id)];
  const auto later = std::partition_point(own.begin(), own.end(),
                                          [&](ActionId w) { return s_.ordinal(w) <= s_.ordinal(id); });
  if (next) return later == own.end() ? kNoAction : *later;
  auto earlier = std::partition_point(own.begin(), own.end(),
                                      [&](ActionId w) { return s_.ordinal(w) < s_.ordinal(id); });
  return earlier == own.begin() ? kNoAction : *std::prev(earlier);
}

// Two sections of one lock do not overlap: a write that is overwritten within its own is seen by no other,
// and a read after a write within its own sees none of another.
bool Candidates::excluded_by_locks(ActionId read, ActionId write, CellId cell) const {
  if (s_.thread_index(read) == s_.thread_index(write)) return false;
  const ActionId overwrites = neighbour(write, cell, true);
  const ActionId covers = neighbour(read, cell, false);
  const auto is_in = [&](ActionId id, std::uint32_t section) {
    if (id == kNoAction) return false;
    const std::span<const std::uint32_t> all = s_.sections_of(id);
    return std::find(all.begin(), all.end(), section) != all.end();
  };
  for (std::uint32_t mine : s_.sections_of(read)) {
    for (std::uint32_t theirs : s_.sections_of(write)) {
      const Section& a = s_.sections()[mine];
      const Section& b = s_.sections()[theirs];
      if (a.object != b.object || (!a.exclusive && !b.exclusive)) continue;
      if (is_in(overwrites, theirs) || is_in(covers, mine)) return true;
    }
  }
  return false;
}

namespace {

// Marks what an expression is made of, and calls f(action) for each symbol met for the first time.
class Support {
 public:
  explicit Support(const SymbolicTrace& trace) : trace_(trace), visited_(trace.expressions.size()) {}

  template <typename F>
  void visit(ExpressionId id, F f) {
    stack_.assign(1, index_of(id));
    while (!stack_.empty()) {
      const std::uint32_t i = stack_.back();
      stack_.pop_back();
      if (i == 0 || visited_[i]) continue;
      visited_[i] = true;
      const Expression& e = trace_.expressions[i];
      if (e.op == Operator::kSymbol) {
        f(ActionId{index_of(e.operands[0])});
        continue;
      }
      for (unsigned k = 0; k < operand_count(e.op); ++k) stack_.push_back(index_of(e.operands[k]));
    }
  }

 private:
  const SymbolicTrace& trace_;
  std::vector<bool> visited_;
  std::vector<std::uint32_t> stack_;
};

}  // namespace

std::vector<bool> relevant_reads(const Structure& structure, const Candidates& candidates, bool with_soft) {
  std::vector<bool> relevant(structure.count());
  std::vector<ActionId> open;
  Support support(structure.trace());
  const auto found = [&](ActionId read) {
    if (relevant[read] || !structure.included(read)) return;
    relevant[read] = true;
    open.push_back(read);
  };
  for (const Condition& c : structure.trace().conditions) {
    if (with_soft || !c.soft) support.visit(c.expression, found);
  }
  if (structure.trace().bug.kind == BugKind::kCondition)
    support.visit(structure.trace().bug.condition.expression, found);
  while (!open.empty()) {
    const ActionId read = open.back();
    open.pop_back();
    for (PartId p = structure.first_part(read); p < structure.first_part(read + 1); ++p) {
      for (ActionId w : candidates.of(p)) {
        if (w != kNoAction) support.visit(structure.action(w).written, found);
      }
    }
  }
  return relevant;
}

}  // namespace heddle::constraints
