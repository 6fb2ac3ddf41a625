// Branches, and the ends of functions.
#include <llvm/IR/Constants.h>

#include "compiler/plugin/body_builder.h"
#include "compiler/plugin/path_numbers.h"

namespace heddle::plugin {

using llvm::Value;

std::uint64_t BodyBuilder::place_of(const llvm::Instruction& instruction) const {
  const auto number = place_number(instruction);
  return number ? static_cast<std::uint64_t>(record::place_of(key_, *number)) : 0;
}

void BodyBuilder::step(llvm::Instruction* before, const llvm::DebugLoc& place, Tell tell) const {
  Builder at(before);
  when(abi_.is_path_trace(at), before, place, [&](Builder& then) {
    tell(then);
    return Ids{};
  });
}

llvm::Constant* BodyBuilder::table(llvm::Constant* entries) const {
  return new llvm::GlobalVariable(*function_.getParent(), entries->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, entries, "heddle.cases");
}

// Where one side ends in code that does not return (an assertion, abort, a throw), the condition may be the
// one that failed: each side tells on its own edge, the doomed one always.
void BodyBuilder::visit_branch(llvm::BranchInst& branch) {
  if (!branch.isConditional() || branch.getSuccessor(0) == branch.getSuccessor(1)) return;
  Value* condition = branch.getCondition();
  const llvm::DebugLoc place = branch.getDebugLoc();
  const std::uint64_t id = place_of(branch);
  if (id != 0) {
    step(&branch, place, [&](Builder& at) {
      const auto kind = static_cast<std::uint64_t>(record::StepKind::kBranch);
      at.CreateCall(abi_.step, {word(id), number(kind), at.CreateZExt(condition, abi_.value_type)});
    });
  }
  const bool yes_doomed = doomed_.contains(branch.getSuccessor(0));
  const bool no_doomed = doomed_.contains(branch.getSuccessor(1));
  if (yes_doomed == no_doomed) {
    when_symbolic({id_of(condition)}, &branch, place, [&](Builder& at) {
      at.CreateCall(abi_.branch, {id_of(condition), at.CreateZExt(condition, abi_.id_type), word(id)});
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
      at.CreateCall(abi_.doomed, {id_of(condition), number(side ? 1 : 0), word(id)});
      continue;
    }
    when_symbolic({id_of(condition)}, first, place, [&](Builder& at) {
      at.CreateCall(abi_.spared, {id_of(condition), number(side ? 1 : 0), word(id)});
      return Ids{};
    });
  }
}

void BodyBuilder::visit_switch(llvm::SwitchInst& on) {
  Value* value = on.getCondition();
  if (scalar_bits(value->getType()) == 0 || on.getNumCases() == 0) return;
  llvm::LLVMContext& context = function_.getContext();
  llvm::SmallVector<std::uint64_t, 16> cases;
  for (const auto& one : on.cases()) cases.push_back(one.getCaseValue()->getZExtValue());
  const auto different = different_successors(on);
  const auto index_of = [&](const llvm::BasicBlock* next) {
    return static_cast<std::uint32_t>(llvm::find(different, next) - different.begin());
  };
  llvm::SmallVector<std::uint32_t, 16> ways;
  for (const auto& one : on.cases()) ways.push_back(index_of(one.getCaseSuccessor()));
  llvm::Constant* values_table = table(llvm::ConstantDataArray::get(context, cases));
  llvm::Constant* ways_table = table(llvm::ConstantDataArray::get(context, ways));
  Value* otherwise = number(index_of(on.getDefaultDest()));
  const std::uint64_t id = place_of(on);
  if (id != 0) {
    step(&on, on.getDebugLoc(), [&](Builder& at) {
      at.CreateCall(abi_.step_switch, {word(id), as_value(at, value), values_table, ways_table,
                                       number(cases.size()), otherwise});
    });
  }
  when_symbolic({id_of(value)}, &on, on.getDebugLoc(), [&](Builder& at) {
    at.CreateCall(abi_.switch_on, {id_of(value), as_value(at, value), values_table, ways_table,
                                   number(cases.size()), otherwise, word(id)});
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
  if (const std::uint64_t id = place_of(landing); id != 0) {
    step(&*at.GetInsertPoint(), landing.getDebugLoc(), [&](Builder& then) {
      const auto kind = static_cast<std::uint64_t>(record::StepKind::kLanding);
      then.CreateCall(abi_.step, {word(id), number(kind), word(0)});
    });
  }
}

}  // namespace heddle::plugin
