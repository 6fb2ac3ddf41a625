#include "compiler/plugin/body_builder.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/plugin/symbolic_body.h"

namespace heddle::plugin {

using llvm::Instruction;
using llvm::Value;

void make_symbolic(llvm::Function& function, llvm::Function& named, record::FunctionKey key,
                   llvm::BasicBlock* entry, Abi& abi) {
  BodyBuilder(function, named, key, abi).build(entry);
}

BodyBuilder::BodyBuilder(llvm::Function& function, llvm::Function& named, record::FunctionKey key, Abi& abi)
    : function_(function),
      named_(named),
      key_(key),
      abi_(abi),
      layout_(function.getParent()->getDataLayout()) {}

void BodyBuilder::build(llvm::BasicBlock* entry) {
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<llvm::BasicBlock*>(entry))
    blocks.push_back(block);
  // Blocks are split as calls are added: what there is to visit is gathered before.
  std::vector<Instruction*> instructions;
  for (llvm::BasicBlock* block : blocks) {
    for (Instruction& instruction : *block) instructions.push_back(&instruction);
  }
  find_doomed(blocks);
  prepare_edges(blocks);
  for (llvm::BasicBlock* block : blocks) add_phis(*block);
  take_parameters(entry);
  for (Instruction* instruction : instructions) visit(*instruction);
  complete_phis();
}

Ids BodyBuilder::ids_of(Value* value) const {
  if (const auto known = ids_.find(value); known != ids_.end()) return known->second;
  return Ids(leaves_of(value->getType(), layout_).size(), abi_.no_id);
}

Value* BodyBuilder::id_of(Value* scalar) const {
  const auto known = ids_.find(scalar);
  return known != ids_.end() && known->second.size() == 1 ? known->second[0] : abi_.no_id;
}

Value* BodyBuilder::as_value(Builder& at, Value* scalar) const {
  llvm::Type* type = scalar->getType();
  if (type->isPointerTy()) return at.CreatePtrToInt(scalar, abi_.value_type);
  if (type->isFloatingPointTy()) scalar = at.CreateBitCast(scalar, at.getIntNTy(scalar_bits(type)));
  return at.CreateZExt(scalar, abi_.value_type);
}

Value* BodyBuilder::leaf_value(Builder& at, Value* value, const Leaf& leaf) const {
  return as_value(at, leaf.path.empty() ? value : at.CreateExtractValue(value, leaf.path));
}

Value* BodyBuilder::any_symbolic(Builder& at, llvm::ArrayRef<Value*> ids) const {
  Value* any = nullptr;
  for (Value* id : ids) {
    if (!is_known_concrete(id)) any = any == nullptr ? id : at.CreateOr(any, id);
  }
  return any == nullptr ? nullptr : at.CreateICmpNE(any, abi_.no_id);
}

Ids BodyBuilder::when(Value* condition, Instruction* before, const llvm::DebugLoc& place, Emit emit) const {
  llvm::BasicBlock* otherwise = before->getParent();
  llvm::MDNode* rarely = llvm::MDBuilder(function_.getContext()).createBranchWeights(1, 100);
  Instruction* end = llvm::SplitBlockAndInsertIfThen(condition, before, false, rarely);
  Builder then(end);
  then.SetCurrentDebugLocation(place);
  Ids results = emit(then);
  for (Value*& id : results) {
    if (is_known_concrete(id)) continue;
    llvm::PHINode* joined = llvm::PHINode::Create(abi_.id_type, 2, "heddle.id");
    joined->insertBefore(before->getParent()->begin());
    joined->addIncoming(id, end->getParent());
    joined->addIncoming(abi_.no_id, otherwise);
    id = joined;
  }
  return results;
}

Ids BodyBuilder::when_symbolic(llvm::ArrayRef<Value*> ids, Instruction* before, const llvm::DebugLoc& place,
                               Emit emit) const {
  Builder at(before);
  at.SetCurrentDebugLocation(place);
  Value* any = any_symbolic(at, ids);
  return any == nullptr ? Ids{abi_.no_id} : when(any, before, place, emit);
}

// A block is doomed if it cannot be left but into others that are: what leads there is the condition of a
// failure.
void BodyBuilder::find_doomed(llvm::ArrayRef<llvm::BasicBlock*> blocks) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = blocks.rbegin(); at != blocks.rend(); ++at) {
      const llvm::BasicBlock* block = *at;
      if (doomed_.contains(block)) continue;
      const Instruction* end = block->getTerminator();
      const bool leads_only_to_doomed =
          end->getNumSuccessors() != 0 &&
          llvm::all_of(
              llvm::successors(block),
              [&](const llvm::BasicBlock* next) { return doomed_.contains(next) || next->isLandingPad(); }) &&
          !llvm::all_of(llvm::successors(block),
                        [](const llvm::BasicBlock* next) { return next->isLandingPad(); });
      if (!llvm::isa<llvm::UnreachableInst>(end) && !leads_only_to_doomed) continue;
      doomed_.insert(block);
      changed = true;
    }
  }
}

// The result of an invoke is taken on its own edge.
void BodyBuilder::prepare_edges(llvm::ArrayRef<llvm::BasicBlock*> blocks) {
  for (llvm::BasicBlock* block : blocks) {
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block->getTerminator()))
      own_edge(block, invoke->getNormalDest());
  }
}

// A block that only this edge leads to: where code of the edge can be put.
llvm::BasicBlock* BodyBuilder::own_edge(llvm::BasicBlock* from, llvm::BasicBlock* to) {
  if (to->getSinglePredecessor() != nullptr && !llvm::isa<llvm::PHINode>(to->front())) return to;
  llvm::BasicBlock* edge = llvm::BasicBlock::Create(function_.getContext(), "heddle.edge", &function_, to);
  llvm::BranchInst* jump = llvm::BranchInst::Create(to, edge);
  jump->setDebugLoc(from->getTerminator()->getDebugLoc());
  // One edge only, also where two of a switch lead to the same block.
  Instruction* end = from->getTerminator();
  for (unsigned i = 0; i < end->getNumSuccessors(); ++i) {
    if (end->getSuccessor(i) != to) continue;
    end->setSuccessor(i, edge);
    break;
  }
  for (llvm::PHINode& phi : to->phis()) {
    const int index = phi.getBasicBlockIndex(from);
    if (index >= 0) phi.setIncomingBlock(static_cast<unsigned>(index), edge);
  }
  if (doomed_.contains(to)) doomed_.insert(edge);
  return edge;
}

void BodyBuilder::add_phis(llvm::BasicBlock& block) {
  std::vector<llvm::PHINode*> found;
  for (llvm::PHINode& phi : block.phis()) found.push_back(&phi);
  for (llvm::PHINode* phi : found) {
    Ids ids(leaves_of(phi->getType(), layout_).size(), nullptr);
    if (ids.empty()) continue;
    for (Value*& id : ids) {
      llvm::PHINode* joined = llvm::PHINode::Create(abi_.id_type, phi->getNumIncomingValues(), "heddle.id");
      joined->insertBefore(block.begin());
      id = joined;
    }
    ids_[phi] = ids;
    phis_.push_back(phi);
  }
}

void BodyBuilder::complete_phis() {
  for (llvm::PHINode* phi : phis_) {
    const Ids joined = ids_of(phi);
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      const Ids incoming = ids_of(phi->getIncomingValue(i));
      for (std::size_t leaf = 0; leaf < joined.size(); ++leaf)
        llvm::cast<llvm::PHINode>(joined[leaf])->addIncoming(incoming[leaf], phi->getIncomingBlock(i));
    }
  }
}

void BodyBuilder::visit(Instruction& instruction) {
  using symbolic::Operator;
  switch (instruction.getOpcode()) {
    case Instruction::Add:
      return visit_binary(instruction, Operator::kAdd);
    case Instruction::Sub:
      return visit_binary(instruction, Operator::kSubtract);
    case Instruction::Mul:
      return visit_binary(instruction, Operator::kMultiply);
    case Instruction::UDiv:
      return visit_binary(instruction, Operator::kDivideUnsigned);
    case Instruction::SDiv:
      return visit_binary(instruction, Operator::kDivideSigned);
    case Instruction::URem:
      return visit_binary(instruction, Operator::kRemainderUnsigned);
    case Instruction::SRem:
      return visit_binary(instruction, Operator::kRemainderSigned);
    case Instruction::And:
      return visit_binary(instruction, Operator::kAnd);
    case Instruction::Or:
      return visit_binary(instruction, Operator::kOr);
    case Instruction::Xor:
      return visit_binary(instruction, Operator::kXor);
    case Instruction::Shl:
      return visit_binary(instruction, Operator::kShiftLeft);
    case Instruction::LShr:
      return visit_binary(instruction, Operator::kShiftRightLogical);
    case Instruction::AShr:
      return visit_binary(instruction, Operator::kShiftRightArithmetic);
    case Instruction::ICmp:
      return visit_compare(llvm::cast<llvm::ICmpInst>(instruction));
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::BitCast:
      return visit_cast(instruction);
    case Instruction::Freeze:
      ids_[&instruction] = ids_of(instruction.getOperand(0));
      return;
    case Instruction::Select:
      return visit_select(llvm::cast<llvm::SelectInst>(instruction));
    case Instruction::GetElementPtr:
      return visit_address(llvm::cast<llvm::GetElementPtrInst>(instruction));
    case Instruction::ExtractValue:
      return visit_extract(llvm::cast<llvm::ExtractValueInst>(instruction));
    case Instruction::InsertValue:
      return visit_insert(llvm::cast<llvm::InsertValueInst>(instruction));
    case Instruction::Load:
      return visit_load(llvm::cast<llvm::LoadInst>(instruction));
    case Instruction::Store:
      return visit_store(llvm::cast<llvm::StoreInst>(instruction));
    case Instruction::AtomicRMW:
      return visit_update(llvm::cast<llvm::AtomicRMWInst>(instruction));
    case Instruction::AtomicCmpXchg:
      return visit_compare_exchange(llvm::cast<llvm::AtomicCmpXchgInst>(instruction));
    case Instruction::Br:
      return visit_branch(llvm::cast<llvm::BranchInst>(instruction));
    case Instruction::Switch:
      return visit_switch(llvm::cast<llvm::SwitchInst>(instruction));
    case Instruction::Ret:
      return visit_return(llvm::cast<llvm::ReturnInst>(instruction));
    case Instruction::LandingPad:
      return visit_landing(llvm::cast<llvm::LandingPadInst>(instruction));
    case Instruction::Call:
    case Instruction::Invoke:
      return visit_call(llvm::cast<llvm::CallBase>(instruction));
    case Instruction::PHI:
    case Instruction::Resume:
    case Instruction::Unreachable:
    case Instruction::Fence:
    case Instruction::Alloca:
      return;
    default:
      return concretise(instruction);
  }
}

// The operation has no expression: its operands are taken for what they were.
void BodyBuilder::concretise(Instruction& instruction) {
  for (Value* operand : instruction.operands()) concretise(operand, &instruction, instruction.getDebugLoc());
}

void BodyBuilder::concretise(Value* value, Instruction* before, const llvm::DebugLoc& place) {
  const auto known = ids_.find(value);
  if (known == ids_.end()) return;
  const Leaves leaves = leaves_of(value->getType(), layout_);
  const Ids ids = known->second;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    when_symbolic({ids[i]}, before, place, [&](Builder& at) {
      at.CreateCall(abi_.concretised, {ids[i], leaf_value(at, value, leaves[i])});
      return Ids{};
    });
  }
}

}  // namespace heddle::plugin
