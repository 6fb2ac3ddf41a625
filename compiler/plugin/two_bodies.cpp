#include "compiler/plugin/two_bodies.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>

namespace heddle::plugin {

llvm::BasicBlock::iterator gather_allocas(llvm::BasicBlock& entry) {
  std::vector<llvm::AllocaInst*> allocas;
  for (llvm::Instruction& instruction : entry) {
    if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        alloca != nullptr && alloca->isStaticAlloca())
      allocas.push_back(alloca);
  }
  auto after = entry.begin();
  for (llvm::AllocaInst* alloca : allocas) {
    if (after == alloca->getIterator()) {
      ++after;
    } else {
      alloca->moveBefore(entry, after);
    }
  }
  return after;
}

bool is_looked_at(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) &&
         function.hasFnAttribute(llvm::Attribute::SanitizeThread) && !function.isPresplitCoroutine();
}

bool can_have_two_bodies(const llvm::Function& function) {
  if (!is_looked_at(function)) return false;
  return std::none_of(function.begin(), function.end(), [](const llvm::BasicBlock& block) {
    const llvm::Instruction* end = block.getTerminator();
    return block.hasAddressTaken() || llvm::isa<llvm::IndirectBrInst>(end) ||
           llvm::isa<llvm::CallBrInst>(end) || llvm::isa<llvm::FuncletPadInst>(block.getFirstNonPHI());
  });
}

llvm::BasicBlock* add_second_body(llvm::Function& function, Abi& abi) {
  return add_copy_of_body(function, ".symbolic",
                          [&abi](llvm::IRBuilder<>& at) { return abi.is_symbolic_mode(at); });
}

llvm::BasicBlock* add_copy_of_body(llvm::Function& function, const char* suffix,
                                   llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> is_taken) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::BasicBlock* plain = entry.splitBasicBlock(gather_allocas(entry), "heddle.plain");
  std::vector<llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : function) {
    if (&block != &entry) blocks.push_back(&block);
  }
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<llvm::BasicBlock*, 16> copies;
  for (llvm::BasicBlock* block : blocks) {
    llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, map, suffix, &function);
    map[block] = copy;
    copies.push_back(copy);
  }
  llvm::remapInstructionsInBlocks(copies, map);

  // What was true of the plain body alone.
  for (const llvm::Attribute::AttrKind kind : {llvm::Attribute::Memory, llvm::Attribute::NoSync,
                                               llvm::Attribute::NoCallback, llvm::Attribute::Speculatable})
    function.removeFnAttr(kind);

  llvm::Instruction* end = entry.getTerminator();
  llvm::IRBuilder<> builder(end);
  llvm::MDNode* rarely = llvm::MDBuilder(function.getContext()).createBranchWeights(1, 1000);
  builder.CreateCondBr(is_taken(builder), copies.front(), plain, rarely);
  end->eraseFromParent();
  return copies.front();
}

}  // namespace heddle::plugin
