#include "compiler/plugin/graph_hash.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "core/base/random.h"

namespace heddle::plugin {
namespace {

std::uint64_t hash_of(std::uint64_t hash, llvm::StringRef text) {
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return hash;
}

// Blocks by their number in the function, with what kinds of instructions they hold and where they lead.
std::uint64_t hash_of(std::uint64_t hash, const llvm::Function& function) {
  hash = hash_of(hash, function.getName());
  llvm::DenseMap<const llvm::BasicBlock*, std::uint64_t> numbers;
  for (const llvm::BasicBlock& block : function) numbers.insert({&block, numbers.size()});
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      if (!instruction.isDebugOrPseudoInst()) hash = mix(hash, instruction.getOpcode());
    }
    for (const llvm::BasicBlock* next : llvm::successors(&block)) hash = mix(hash, numbers.lookup(next));
  }
  return hash;
}

}  // namespace

std::uint64_t graph_hash(const llvm::Module& module) {
  std::uint64_t hash = 0x6865646466756c6cull;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) hash = hash_of(hash, function);
  }
  return hash;
}

void keep_graph_hash(llvm::Module& module, std::uint64_t hash) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Constant* value = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), hash);
  auto* kept = new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                        value, "heddle.graph_hash");
  kept->setSection("heddle_graph");
  kept->setAlignment(llvm::Align(8));
  // Neither the compiler nor the linker's collection of garbage may remove it.
  llvm::appendToUsed(module, {kept});
}

}  // namespace heddle::plugin
