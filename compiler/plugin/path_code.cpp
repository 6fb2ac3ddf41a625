#include "compiler/plugin/path_code.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "compiler/plugin/path_calls.h"
#include "core/record/path_state.h"
#include "core/record/path_table.h"

namespace heddle::plugin {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

BasicBlock* own_edge(Instruction& from, BasicBlock* to) {
  BasicBlock* edge = BasicBlock::Create(from.getContext(), "heddle.case", from.getFunction(), to);
  llvm::BranchInst::Create(to, edge)->setDebugLoc(from.getDebugLoc());
  for (unsigned i = 0; i < from.getNumSuccessors(); ++i) {
    if (from.getSuccessor(i) == to) from.setSuccessor(i, edge);
  }
  for (llvm::PHINode& phi : to->phis()) {
    const int first = phi.getBasicBlockIndex(from.getParent());
    phi.setIncomingBlock(static_cast<unsigned>(first), edge);
    for (int other = phi.getBasicBlockIndex(from.getParent()); other >= 0;
         other = phi.getBasicBlockIndex(from.getParent()))
      phi.removeIncomingValue(static_cast<unsigned>(other), false);
  }
  return edge;
}

PathCode::PathCode(llvm::Function& body, Abi& abi) : body_(body), abi_(abi), slot_(pending_slot(body)) {}

void PathCode::begin(Builder& at) {
  pending_ = Builder(&body_.getEntryBlock(), body_.getEntryBlock().begin())
                 .CreateAlloca(abi_.value_type, nullptr, "heddle.pending");
  takes_pending(body_) ? take_back(at) : reload(at);
}

llvm::MDNode* PathCode::rarely() const {
  return llvm::MDBuilder(body_.getContext()).createBranchWeights(1, 1 << 10);
}

void PathCode::take_back(Builder& at) const { set_pending(at, take_pending(at, slot_)); }

void PathCode::write_back(Instruction* before) const {
  Builder at(before);
  at.CreateStore(pending(at), state(at));
}

void PathCode::hand_over(Instruction* before) const {
  Builder at(before);
  put_pending(at, slot_, pending(at));
}

void PathCode::settle(Builder& at, const LateBits& late) const {
  Value* shifted = at.CreateShl(pending(at), late.bits);
  set_pending(at, at.CreateAdd(shifted, number(static_cast<std::uint64_t>(late.sum))));
}

void PathCode::settle_before(Instruction* before, const LateBits& late) const {
  if (late.is_none()) return;
  Builder at(before);
  settle(at, late);
}

void PathCode::settle_on_edge(Instruction& from, BasicBlock* to, const LateBits& late) const {
  Builder at(&*own_edge(from, to)->getFirstInsertionPt());
  settle(at, late);
}

void PathCode::check(Instruction* before, unsigned most) const {
  Builder at(before);
  // All pending bits are below a one: as numbers with a sign they are negative, and so is the bound, which
  // fits into the instruction.
  Value* many = at.CreateICmpSLE(pending(at), number(~std::uint64_t{0} << (most + 1)));
  Instruction* written = llvm::SplitBlockAndInsertIfThen(many, before, false, rarely());
  Builder then(written);
  constexpr bool kInThisOrder = true;  // volatile: the process may be killed between any two
  Value* own = state(then);
  Value* place = field(then, own, offsetof(record::PathState, next));
  Value* next = then.CreateLoad(then.getPtrTy(), place);
  Value* none = number(record::PathState::kNonePending);
  then.CreateStore(pending(then), next, kInThisOrder);
  then.CreateStore(none, own, kInThisOrder);
  Value* after_it = field(then, next, sizeof(std::uint64_t));
  then.CreateStore(after_it, place, kInThisOrder);
  set_pending(then, none);
  Value* end = then.CreateLoad(then.getPtrTy(), field(then, own, offsetof(record::PathState, end)));
  Value* is_full = then.CreateICmpEQ(after_it, end);
  Builder full(llvm::SplitBlockAndInsertIfThen(is_full, written, false, rarely()));
  llvm::CallInst* call = full.CreateCall(abi_.path_full, {});
  call->setCallingConv(llvm::CallingConv::PreserveAll);
  if (llvm::DISubprogram* scope = body_.getSubprogram())
    call->setDebugLoc(llvm::DILocation::get(body_.getContext(), 0, 0, scope));
}

void PathCode::push_rounds(Instruction& end, llvm::function_ref<Value*(Builder&)> count_at) const {
  Builder at(&end);
  at.SetCurrentDebugLocation(end.getDebugLoc());
  Value* count = count_at(at);
  Value* is_short = at.CreateICmpULE(count, number(record::kMostUnaryRounds));
  Instruction* few = nullptr;
  Instruction* many = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(is_short, &end, &few, &many);
  Builder then(few);
  Value* moved = then.CreateShl(then.CreateAdd(pending(then), number(1)), then.CreateAdd(count, number(1)));
  set_pending(then, then.CreateSub(moved, number(2)));
  Builder otherwise(many);
  otherwise.SetCurrentDebugLocation(end.getDebugLoc());
  otherwise.CreateStore(pending(otherwise), state(otherwise));
  otherwise.CreateCall(abi_.path_rounds, {count})->setCallingConv(llvm::CallingConv::PreserveAll);
  reload(otherwise);
}

void PathCode::promote() {
  llvm::DominatorTree dominators(body_);
  llvm::PromoteMemToReg({pending_}, dominators);
  // Loads of the thread's state after which nothing is pushed.
  llvm::SmallVector<llvm::WeakTrackingVH, 16> unused;
  for (BasicBlock& block : body_) {
    for (Instruction& instruction : block) {
      if (llvm::isa<llvm::LoadInst>(instruction) && instruction.use_empty())
        unused.emplace_back(&instruction);
    }
  }
  for (const llvm::WeakTrackingVH& load : unused) {
    if (Value* value = load) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
  }
}

}  // namespace heddle::plugin
