#include "compiler/plugin/label_addresses.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace heddle::plugin {
namespace {

using llvm::BasicBlock;
using llvm::BlockAddress;

using Numbers = llvm::DenseMap<const BasicBlock*, llvm::ConstantInt*>;

bool is_told_to_assembly(const llvm::Constant& address) {
  llvm::SmallVector<const llvm::Constant*, 8> left{&address};
  llvm::SmallPtrSet<const llvm::Constant*, 8> seen;
  while (!left.empty()) {
    const llvm::Constant* one = left.pop_back_val();
    if (!seen.insert(one).second || llvm::isa<llvm::GlobalValue>(one)) continue;
    for (const llvm::User* user : one->users()) {
      if (const auto* more = llvm::dyn_cast<llvm::Constant>(user)) left.push_back(more);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call != nullptr && call->isInlineAsm()) return true;
    }
  }
  return false;
}

void switch_instead(llvm::IndirectBrInst& jump, const Numbers& numbers) {
  BasicBlock* block = jump.getParent();
  llvm::LLVMContext& context = jump.getContext();
  BasicBlock* nowhere = BasicBlock::Create(context, "heddle.no_label", block->getParent());
  new llvm::UnreachableInst(context, nowhere);
  llvm::IRBuilder<> at(&jump);
  llvm::Value* number = at.CreatePtrToInt(jump.getAddress(), at.getInt64Ty());
  llvm::SwitchInst* by_number = at.CreateSwitch(number, nowhere, jump.getNumSuccessors());
  llvm::SmallPtrSet<const BasicBlock*, 8> known;
  for (BasicBlock* to : llvm::successors(block)) {
    llvm::ConstantInt* its_number = numbers.lookup(to);
    if (its_number == nullptr || !known.insert(to).second) {
      to->removePredecessor(block, true);
    } else {
      by_number->addCase(its_number, to);
    }
  }
  by_number->setDebugLoc(jump.getDebugLoc());
  jump.eraseFromParent();
}

}  // namespace

void number_labels(llvm::Function& function) {
  Numbers numbers;
  llvm::SmallVector<BlockAddress*, 8> addresses;
  llvm::SmallVector<llvm::IndirectBrInst*, 4> jumps;
  llvm::Type* word = llvm::Type::getInt64Ty(function.getContext());
  for (BasicBlock& block : function) {
    if (auto* jump = llvm::dyn_cast<llvm::IndirectBrInst>(block.getTerminator())) jumps.push_back(jump);
    BlockAddress* address = block.hasAddressTaken() ? BlockAddress::lookup(&block) : nullptr;
    if (address == nullptr) continue;
    if (is_told_to_assembly(*address)) return;
    addresses.push_back(address);
    numbers[&block] = llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(word, addresses.size()));
  }
  for (llvm::IndirectBrInst* jump : jumps) switch_instead(*jump, numbers);
  for (BlockAddress* address : addresses) {
    llvm::Constant* number = numbers.lookup(address->getBasicBlock());
    address->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(number, address->getType()));
    address->destroyConstant();
  }
}

}  // namespace heddle::plugin
