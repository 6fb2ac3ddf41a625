// What is known of the pending bits of a body before any code for them is written: where their number has to
// be looked at, where memory lacks them, and which bits several blocks can add for the block that they lead
// to. It changes nothing in the body.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/plugin/path_loops.h"
#include "compiler/plugin/path_sites.h"

namespace heddle::plugin {

// Which way of a branch is taken for certain: one that others lead to as well. Where both are, the one that
// is taken less gets a block of its own: not a loop's next round.
struct Foresight {
  llvm::BasicBlock* side = nullptr;  // none: only this branch leads to either
  llvm::BasicBlock* other = nullptr;
  std::uint64_t bit = 0;
  bool other_alone = false;
};

struct PathPlan {
  llvm::SmallSetVector<llvm::BasicBlock*, 8> heads;  // of cycles that push: looked at in each round
  llvm::DenseSet<const llvm::Instruction*> checked;  // pushes before which the number of bits is looked at
  llvm::DenseSet<const llvm::Instruction*> dirty;    // calls and ends before which bits may have been pushed
  llvm::DenseSet<const llvm::Instruction*> stale;    // calls and ends before which memory lacks pending bits
  llvm::DenseMap<const llvm::BasicBlock*, std::uint64_t>
      ahead;                // who leads there adds this bit of its branch
  unsigned most_added = 0;  // bits, before they are looked at again

  // As many may be pending within the body as leave room for what is added until it is looked again.
  unsigned most_within() const;
  Foresight foresee(const llvm::BranchInst& branch) const;
};

PathPlan plan_path(llvm::Function& body, const PathSites& sites, const std::vector<CountedLoop>& counted);

}  // namespace heddle::plugin
