#include "compiler/plugin/path_pushes.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>

#include <functional>
#include <utility>
#include <vector>

#include "compiler/plugin/path_numbers.h"
#include "core/record/path_table.h"

namespace heddle::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned kMostLate = 24;  // the sum is a constant of an instruction

class Pushes {
 public:
  Pushes(llvm::Function& body, const PathSites& sites, const PathPlan& plan, const PathCode& code)
      : body_(body), sites_(sites), plan_(plan), code_(code) {}

  // Follows what is late through the blocks, each of which comes after those that lead to it (cycles apart),
  // and adds what each end of a block needs.
  LateBefore push() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&body_);
    const std::vector<BasicBlock*> blocks(order.begin(), order.end());
    for (BasicBlock* block : blocks) {
      const LateBits late = walk(*block);
      if (!llvm::isa<llvm::InvokeInst>(block->getTerminator())) push_at_end(*block, late);
    }
    for (const auto& add : additions_) add();
    return std::move(late_before_);
  }

 private:
  using Builder = PathCode::Builder;

  // What is late at the end of the block.
  LateBits walk(BasicBlock& block) {
    LateBits late = late_in_.lookup(&block);
    for (Instruction& instruction : block) {
      if (may_leave(instruction) || is_end(instruction)) {
        if (sites_.foretold.contains(&instruction)) late = late.with(1, 1);
        late_before_[&instruction] = late;
        late = {};
      }
      if (llvm::isa<llvm::LandingPadInst>(instruction)) late = {};
    }
    Instruction* end = block.getTerminator();
    if (sites_.is_push.contains(end) &&
        (plan_.checked.contains(end) || late.bits + sites_.bits_of(*end) > kMostLate)) {
      additions_.emplace_back([this, end, late] {
        code_.settle_before(end, late);
        if (plan_.checked.contains(end)) code_.check(end, plan_.most_within());
      });
      late = {};
    }
    return late;
  }

  void push_at_end(BasicBlock& block, LateBits late) {
    Instruction* end = block.getTerminator();
    const auto rounds = sites_.rounds.find(end);
    const bool has_rounds = rounds != sites_.rounds.end();
    if (has_rounds) late = push_rounds(*end, rounds->second, late);
    const bool is_push = sites_.is_push.contains(end);
    if (is_push && !has_rounds && llvm::isa<llvm::BranchInst>(end)) {
      push_branch(llvm::cast<llvm::BranchInst>(*end), late);
    } else if (is_push && llvm::isa<llvm::SwitchInst>(end)) {
      push_switch(*end, late);
    } else {
      const auto next = different_successors(*end);
      const bool leads_there_alone =
          llvm::all_of(next, [](BasicBlock* to) { return to->getSinglePredecessor() != nullptr; });
      if (!leads_there_alone) late_before_[end] = next.size() == 1 ? with_ahead(late, next[0]) : late;
      for (const BasicBlock* to : next) late_in_[to] = leads_there_alone ? late : LateBits{};
    }
  }

  // A side that only this branch leads to knows the bit, and adds it when it has to. Where others lead there
  // as well, the bit is added before the branch, as if that side were taken for certain, and the other side
  // knows what is wrong with it.
  void push_branch(llvm::BranchInst& branch, const LateBits& late) {
    if (const QuietLoop* loop = sites_.quiet.lookup(&branch)) return push_quiet(*loop, late);
    const Foresight foreseen = plan_.foresee(branch);
    BasicBlock* other = foreseen.other;
    if (foreseen.side == nullptr) {
      late_in_[branch.getSuccessor(0)] = with_outcome(late, branch, 1);
      late_in_[branch.getSuccessor(1)] = with_outcome(late, branch, 0);
      return;
    }
    if (plan_.ahead.contains(branch.getParent())) return correct_ahead(branch, foreseen);
    const bool is_rare = sites_.rare.count(&branch) != 0;
    const LateBits taken = with_outcome(late, branch, foreseen.bit);
    const LateBits not_taken = with_outcome(late, branch, 1 - foreseen.bit);
    if (plan_.ahead.contains(foreseen.side) || (is_rare && !foreseen.other_alone)) {
      // What is added for the block that it leads to would be hard to take back, or is another number of
      // bits.
      if (foreseen.other_alone) {
        late_in_[other] = not_taken;
      } else {
        additions_.emplace_back([this, &branch, other, not_taken] {
          code_.settle_on_edge(branch, other, with_ahead(not_taken, other));
        });
      }
      additions_.emplace_back([this, &branch, side = foreseen.side, taken] {
        code_.settle_on_edge(branch, side, with_ahead(taken, side));
      });
      return;
    }
    // The other side goes on from there, so that nothing has to be computed or kept for one side alone: LLVM
    // would give that a block of its own, and the code another shape than without a log, with more jumps.
    const bool can_go_on = not_taken.bits >= taken.bits;
    const LateBits after = can_go_on ? not_taken.after(taken) : not_taken;
    if (foreseen.other_alone) late_in_[other] = after;
    additions_.emplace_back([this, &branch, taken, other, foreseen, can_go_on, after] {
      Builder at(&branch);
      Value* before = code_.pending(at);
      code_.settle(at, taken);
      if (!can_go_on) {
        Builder there(&*other->getFirstInsertionPt());
        code_.set_pending(there, before);
      }
      if (!foreseen.other_alone) code_.settle_on_edge(branch, other, with_ahead(after, other));
    });
  }

  // All who lead to the branch have added its bit as that of the foreseen side.
  void correct_ahead(llvm::BranchInst& branch, const Foresight& foreseen) {
    const LateBits correction{0, foreseen.bit != 0 ? -1 : 1};
    if (foreseen.other_alone) {
      late_in_[foreseen.other] = correction;
    } else {
      additions_.emplace_back([this, &branch, other = foreseen.other, correction] {
        code_.settle_on_edge(branch, other, correction);
      });
    }
  }

  // Nothing where the branch stays in the loop.
  void push_quiet(const QuietLoop& loop, const LateBits& late) {
    BasicBlock* out = loop.branch->getSuccessor(loop.leaves_by);
    const LateBits left = LateBits{}.with(loop.leaving_bits(), loop.leaving_code());
    const bool is_alone = out->getSinglePredecessor() != nullptr;
    if (is_alone) late_in_[out] = left;
    additions_.emplace_back([this, branch = loop.branch, out, late, left, is_alone] {
      code_.settle_before(branch, late);
      if (!is_alone) code_.settle_on_edge(*branch, out, with_ahead(left, out));
    });
  }

  void push_switch(Instruction& end, const LateBits& late) {
    const auto next = different_successors(end);
    for (std::uint32_t i = 0; i < next.size(); ++i) {
      const auto [bits, code] = record::switch_code(static_cast<std::uint32_t>(next.size()), i);
      const LateBits taken = late.with(bits, code);
      if (next[i]->getSinglePredecessor() != nullptr) {
        late_in_[next[i]] = taken;
        continue;
      }
      additions_.emplace_back(
          [this, &end, to = next[i], taken] { code_.settle_on_edge(end, to, with_ahead(taken, to)); });
    }
  }

  // How many rounds a loop had, before the end of a block that its exit leads to. What is late afterwards:
  // which exit it was.
  LateBits push_rounds(Instruction& end, const LoopExit& left, const LateBits& late) {
    additions_.emplace_back([this, &end, left, late] {
      code_.settle_before(&end, late);
      code_.push_rounds(
          end, [&](Builder& at) { return completed_rounds(at, *left.loop, left.loop->exits[left.exit]); });
    });
    const auto exits = static_cast<std::uint32_t>(left.loop->exits.size());
    const auto [bits, code] = record::switch_code(exits, left.exit);
    return LateBits{}.with(bits, code);
  }

  LateBits with_outcome(const LateBits& late, const llvm::BranchInst& branch, std::uint64_t outcome) const {
    const auto rare = sites_.rare.find(&branch);
    if (rare == sites_.rare.end() || rare->second == outcome) return late.with(1, outcome);
    return late.with(2, outcome << 1 | 1);
  }
  LateBits with_ahead(const LateBits& late, const BasicBlock* to) const {
    const auto bit = plan_.ahead.find(to);
    return bit == plan_.ahead.end() ? late : late.with(1, bit->second);
  }

  llvm::Function& body_;
  const PathSites& sites_;
  const PathPlan& plan_;
  const PathCode& code_;
  LateBefore late_before_;
  llvm::DenseMap<const BasicBlock*, LateBits> late_in_;  // what is late where the block begins
  std::vector<std::function<void()>> additions_;         // they change the blocks: done when all were walked
};

}  // namespace

LateBefore push_lazily(llvm::Function& body, const PathSites& sites, const PathPlan& plan,
                       const PathCode& code) {
  return Pushes(body, sites, plan, code).push();
}

}  // namespace heddle::plugin
