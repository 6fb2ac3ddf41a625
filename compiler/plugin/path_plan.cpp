#include "compiler/plugin/path_plan.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>

#include <algorithm>
#include <utility>

#include "compiler/plugin/path_calls.h"
#include "core/record/path_state.h"
#include "core/record/path_table.h"

namespace heddle::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using Order = llvm::ReversePostOrderTraversal<llvm::Function*>;

// How many bits may have been pushed since they were in memory or looked at: at most 32 fit on top of what
// memory holds. Every cycle that pushes is looked at once in each round.
class Checks {
 public:
  Checks(const Order& order, const PathSites& sites, PathPlan& plan)
      : order_(order), sites_(sites), plan_(plan) {
    for (const BasicBlock* block : order_) rank_.insert({block, rank_.size()});
  }

  void plan(const std::vector<CountedLoop>& counted) {
    for (BasicBlock* block : order_) walk(block, incoming(block, false), false);
    // Bits that come around a cycle: the first push of the round after looks.
    for (BasicBlock* block : order_) {
      // What was pushed before a counted loop comes around it, but does not grow.
      if (llvm::any_of(counted, [&](const CountedLoop& loop) { return loop.header == block; })) continue;
      for (const BasicBlock* before : llvm::predecessors(block)) {
        if (rank_.contains(before) && rank_.lookup(before) >= rank_.lookup(block) && out_.lookup(before) > 0)
          plan_.heads.insert(block);
      }
    }
    for (BasicBlock* block : order_) {
      // A head is looked at in its beginning: nothing but what fits is pending, and that is more than memory
      // has.
      walk(block, plan_.heads.contains(block) ? 1 : incoming(block, true), true);
    }
  }

 private:
  // From `in` bits at the beginning of the block to out_ at its end; `decides`: puts down what that means.
  void walk(BasicBlock* block, unsigned in, bool decides) {
    for (Instruction& instruction : *block) {
      if (sites_.foretold.contains(&instruction)) ++in;  // there is room for one more
      if (decides) plan_.most_added = std::max(plan_.most_added, in);
      if (decides && in > 0 && (may_leave(instruction) || is_end(instruction)))
        plan_.dirty.insert(&instruction);
      if (may_leave(instruction) || llvm::isa<llvm::LandingPadInst>(instruction)) in = 0;
      if (!sites_.is_push.contains(&instruction)) continue;
      const unsigned bits = sites_.bits_of(instruction);
      if (decides && in + bits >= record::kMostPending - record::kMostPendingInMemory) {
        plan_.checked.insert(&instruction);
        in = 0;
      }
      if (plan_.checked.contains(&instruction)) in = 0;
      in += bits;
      if (decides) plan_.most_added = std::max(plan_.most_added, in);
    }
    out_[block] = in;
  }

  unsigned incoming(const BasicBlock* block, bool with_cycles) const {
    unsigned in = 0;
    for (const BasicBlock* before : llvm::predecessors(block)) {
      if (!rank_.contains(before)) continue;
      if (with_cycles || rank_.lookup(before) < rank_.lookup(block)) in = std::max(in, out_.lookup(before));
    }
    return in;
  }

  const Order& order_;
  const PathSites& sites_;
  PathPlan& plan_;
  llvm::DenseMap<const BasicBlock*, unsigned> rank_;
  llvm::DenseMap<const BasicBlock*, unsigned> out_;
};

// Before which calls and ends the bits in memory are not those that are pending.
void plan_stores(llvm::Function& body, const Order& order, const PathSites& sites, PathPlan& plan) {
  llvm::DenseMap<const BasicBlock*, bool> stale_out;
  const auto walk = [&](BasicBlock& block) {
    bool stale = &block == &body.getEntryBlock() && takes_pending(body);
    for (const BasicBlock* before : llvm::predecessors(&block)) stale = stale || stale_out.lookup(before);
    for (Instruction& instruction : block) {
      const bool is_call = may_leave(instruction);
      if (stale && (is_call || is_end(instruction))) plan.stale.insert(&instruction);
      if (is_call) stale = sites.handed_over.contains(&instruction);
      if (llvm::isa<llvm::LandingPadInst>(instruction)) stale = false;
      if (sites.is_push.contains(&instruction)) stale = true;
    }
    return std::exchange(stale_out[&block], stale) != stale;
  };
  for (bool again = true; again;) {
    again = false;
    for (BasicBlock* block : order) again = walk(*block) || again;
  }
}

// Blocks that several lead to and that add the same bit whoever did: these add it with their own, by the same
// instruction.
void plan_ahead(llvm::Function& body, const PathSites& sites, PathPlan& plan) {
  llvm::DenseSet<const BasicBlock*> later;  // come after `block` in the order: not the beginning of a cycle
  for (BasicBlock* block : llvm::post_order(&body)) {
    later.insert(block);
    auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (end == nullptr || !sites.is_push.contains(end) || sites.rounds.count(end) != 0 ||
        plan.checked.contains(end) || sites.quiet.count(end) != 0 || sites.rare.count(end) != 0)
      continue;
    if (block->getSinglePredecessor() != nullptr || block == &body.getEntryBlock()) continue;
    const auto may_be_elsewhere = [](const Instruction& one) { return may_leave(one) || one.isEHPad(); };
    const auto can_add = [&](const BasicBlock* before) {
      const Instruction* from = before->getTerminator();
      return !later.contains(before) && (from->getNumSuccessors() == 1 ? llvm::isa<llvm::BranchInst>(from)
                                                                       : sites.is_push.contains(from));
    };
    const Foresight foreseen = plan.foresee(*end);
    if (foreseen.side == nullptr || plan.ahead.contains(foreseen.side) ||
        plan.ahead.contains(foreseen.other) || llvm::any_of(*block, may_be_elsewhere) ||
        !llvm::all_of(llvm::predecessors(block), can_add))
      continue;
    plan.ahead[block] = foreseen.bit;
  }
}

}  // namespace

unsigned PathPlan::most_within() const {
  return std::max(record::kMostPendingInMemory, record::kMostPending - most_added);
}

Foresight PathPlan::foresee(const llvm::BranchInst& branch) const {
  BasicBlock* yes = branch.getSuccessor(0);
  BasicBlock* no = branch.getSuccessor(1);
  const bool yes_alone = yes->getSinglePredecessor() != nullptr;
  const bool no_alone = no->getSinglePredecessor() != nullptr;
  if (yes_alone && no_alone) return {};
  const bool foreseen = yes_alone ? false : no_alone || heads.contains(yes);
  return {foreseen ? yes : no, foreseen ? no : yes, foreseen ? 1u : 0u, yes_alone || no_alone};
}

PathPlan plan_path(llvm::Function& body, const PathSites& sites, const std::vector<CountedLoop>& counted) {
  PathPlan plan;
  const Order order(&body);
  Checks(order, sites, plan).plan(counted);
  plan_stores(body, order, sites, plan);
  plan_ahead(body, sites, plan);
  return plan;
}

}  // namespace heddle::plugin
