// Branches, and the ends of functions.
#include <llvm/IR/Constants.h>

#include "compiler/plugin/body_builder.h"

namespace heddle::plugin {

using llvm::Value;

// Where one side ends in code that does not return (an assertion, abort, a throw), the condition may be the
// one that failed: each side tells on its own edge, the doomed one always.
void BodyBuilder::visit_branch(llvm::BranchInst& branch) {
  if (!branch.isConditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) return;
  Value* condition = branch.getCondition();
  const llvm::DebugLoc place = branch.getDebugLoc();
  const bool yes_doomed = doomed_.contains(branch.getSuccessor(0));
  const bool no_doomed = doomed_.contains(branch.getSuccessor(1));
  if (yes_doomed == no_doomed) {
    when_symbolic({id_of(condition)}, &branch, place, [&](Builder& at) {
      at.CreateCall(abi_.branch, {id_of(condition), at.CreateZExt(condition, abi_.id_type)});
      return Ids{};
    });
    return;
  }
  for (const bool side : {true, false}) {
    llvm::BasicBlock* edge = own_edge(branch.getParent(), branch.getSuccessor(side ? 0 : 1));
    llvm::Instruction* first = &*edge->getFirstInsertionPt();
    if (side == yes_doomed) {
      Builder at(first);
      at.SetCurrentDebugLocation(place);
      at.CreateCall(abi_.doomed, {id_of(condition), number(side ? 1 : 0)});
      continue;
    }
    when_symbolic({id_of(condition)}, first, place, [&](Builder& at) {
      at.CreateCall(abi_.branch, {id_of(condition), number(side ? 1 : 0)});
      return Ids{};
    });
  }
}

void BodyBuilder::visit_switch(llvm::SwitchInst& on) {
  Value* value = on.getCondition();
  if (scalar_bits(value->getType()) == 0 || on.getNumCases() == 0) return;
  when_symbolic({id_of(value)}, &on, on.getDebugLoc(), [&](Builder& at) {
    llvm::SmallVector<std::uint64_t, 16> cases;
    for (const auto& one : on.cases()) cases.push_back(one.getCaseValue()->getZExtValue());
    llvm::Constant* table = llvm::ConstantDataArray::get(function_.getContext(), cases);
    auto* kept = new llvm::GlobalVariable(*function_.getParent(), table->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, table, "heddle.cases");
    at.CreateCall(abi_.switch_on, {id_of(value), as_value(at, value), kept, number(cases.size())});
    return Ids{};
  });
}

// The result is left for the caller; where there is none to leave, what another call has left is taken away.
void BodyBuilder::visit_return(llvm::ReturnInst& end) {
  Value* value = end.getReturnValue();
  if (value == nullptr) return;
  if (const llvm::CallInst* tail = end.getParent()->getTerminatingMustTailCall(); tail != nullptr) return;
  const Leaves leaves = leaves_of(value->getType(), layout_);
  if (leaves.empty()) return;
  const Ids ids = ids_of(value);
  Builder before(&end);
  Value* needed = abi_.is_handing_over(before);
  if (Value* any = any_symbolic(before, ids)) needed = before.CreateOr(needed, any);
  when(needed, &end, end.getDebugLoc(), [&](Builder& at) {
    at.CreateCall(abi_.returns, {&named_});
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (!is_known_concrete(ids[i]))
        at.CreateCall(abi_.result, {number(i), ids[i], leaf_value(at, value, leaves[i])});
    }
    return Ids{};
  });
}

// Functions were left without returning: nothing that they were handed, and no condition of theirs, counts.
void BodyBuilder::visit_landing(llvm::LandingPadInst& landing) {
  Builder at(&*landing.getParent()->getFirstInsertionPt());
  at.SetCurrentDebugLocation(landing.getDebugLoc());
  at.CreateCall(abi_.call_ended, {llvm::ConstantPointerNull::get(at.getPtrTy())});
}

}  // namespace heddle::plugin
