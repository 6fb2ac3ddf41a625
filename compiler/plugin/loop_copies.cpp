#include "compiler/plugin/loop_copies.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>

namespace heddle::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Loop;

// Copies may have so many instructions for each one of the body. Loops that lie in others are copied with
// these as well, and the shortest ones are worth it most.
constexpr std::size_t kMostGrowth = 2;

struct Candidate {
  Loop* loop = nullptr;
  EntrySet entries;
  std::size_t size = 0;
};

std::size_t size_of(const Loop& loop) {
  std::size_t size = 0;
  for (const BasicBlock* block : loop.blocks()) size += block->size();
  return size;
}

llvm::BranchInst* way_into(const Loop& loop) {
  const BasicBlock* before = loop.getLoopPreheader();
  if (before == nullptr) return nullptr;
  auto* way = llvm::dyn_cast<llvm::BranchInst>(const_cast<BasicBlock*>(before)->getTerminator());
  return way != nullptr && way->isUnconditional() ? way : nullptr;
}

// A loop that has all elements of what it lies in needs no question of its own. Outer ones come first.
void gather(Loop& loop, const EntrySet& around, const LoopCopying& copying,
            std::vector<Candidate>& candidates) {
  Candidate candidate;
  candidate.loop = &loop;
  for (BasicBlock* block : loop.blocks()) copying.add_entries(*block, candidate.entries);
  if (candidate.entries.empty()) return;
  const EntrySet entries = candidate.entries;
  if (entries.size() < around.size() && way_into(loop) != nullptr) {
    candidate.size = size_of(loop);
    candidates.push_back(std::move(candidate));
  }
  for (Loop* inner : loop) gather(*inner, entries, copying, candidates);
}

void keep_the_shortest(std::vector<Candidate>& candidates, std::size_t most) {
  std::vector<std::size_t> sizes;
  for (const Candidate& candidate : candidates) sizes.push_back(candidate.size);
  std::sort(sizes.begin(), sizes.end());
  std::size_t sum = 0;
  std::size_t longest = 0;
  for (const std::size_t size : sizes) {
    sum += size;
    if (sum > most) break;
    longest = size;
  }
  llvm::erase_if(candidates, [&](const Candidate& candidate) { return candidate.size > longest; });
}

// REQUIRES: what is used of the loop's values after it goes through phi nodes where it is left (LCSSA).
void copy(const Candidate& candidate, const LoopCopying& copying,
          llvm::SmallPtrSetImpl<BasicBlock*>& copied) {
  const Loop& loop = *candidate.loop;
  llvm::BranchInst* way = way_into(loop);
  llvm::Function* body = loop.getHeader()->getParent();
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<BasicBlock*, 16> blocks;
  for (BasicBlock* block : loop.blocks()) {
    BasicBlock* twin = llvm::CloneBasicBlock(block, map, ".unhooked", body);
    map[block] = twin;
    blocks.push_back(twin);
  }
  llvm::remapInstructionsInBlocks(blocks, map);
  llvm::SmallVector<BasicBlock*, 8> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock* exit : exits) {
    for (llvm::PHINode& phi : exit->phis()) {
      const unsigned count = phi.getNumIncomingValues();
      for (unsigned i = 0; i < count; ++i) {
        if (!loop.contains(phi.getIncomingBlock(i))) continue;
        llvm::Value* value = phi.getIncomingValue(i);
        const auto twin = map.find(value);
        phi.addIncoming(twin != map.end() ? static_cast<llvm::Value*>(twin->second) : value,
                        llvm::cast<BasicBlock>(map[phi.getIncomingBlock(i)]));
      }
    }
  }
  llvm::IRBuilder<> at(way);
  at.CreateCondBr(copying.is_any_chosen(at, candidate.entries), loop.getHeader(),
                  llvm::cast<BasicBlock>(map[loop.getHeader()]));
  way->eraseFromParent();
  copied.insert(blocks.begin(), blocks.end());
}

}  // namespace

llvm::SmallPtrSet<BasicBlock*, 16> copy_loops(llvm::Function& body, BasicBlock& from, const EntrySet& whole,
                                              const LoopCopying& copying) {
  llvm::SmallPtrSet<BasicBlock*, 16> copied;
  llvm::SmallPtrSet<const BasicBlock*, 16> own;
  std::size_t size = 0;
  for (auto block = from.getIterator(); block != body.end(); ++block) {
    own.insert(&*block);
    size += block->size();
  }
  llvm::DominatorTree dominators(body);
  llvm::LoopInfo loops(dominators);
  std::vector<Loop*> outermost;
  for (Loop* loop : loops) {
    if (own.contains(loop->getHeader())) outermost.push_back(loop);
  }
  std::vector<Candidate> candidates;
  for (Loop* loop : outermost) {
    llvm::simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr, false);
    loop = loop->getOutermostLoop();  // (which may be one that was not seen as such before)
    llvm::formLCSSARecursively(*loop, dominators, &loops, nullptr);
    gather(*loop, whole, copying, candidates);
  }
  keep_the_shortest(candidates, kMostGrowth * size);
  for (const Candidate& candidate : candidates) copy(candidate, copying, copied);
  return copied;
}

}  // namespace heddle::plugin
