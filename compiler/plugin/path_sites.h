// The places of one body that a log of paths has to do with. path_body.cpp gathers them; path_plan.h and
// path_pushes.h read them.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <vector>

#include "compiler/plugin/path_loops.h"

namespace heddle::plugin {

// An exit by which a loop was left whose rounds are counted.
struct LoopExit {
  const CountedLoop* loop = nullptr;
  std::uint32_t exit = 0;
};

struct PathSites {
  std::vector<llvm::CallBase*> calls;      // that the pending bits are elsewhere for
  std::vector<llvm::Instruction*> pushes;  // ends of blocks that add bits
  std::vector<llvm::Instruction*> marks;   // landing pads, indirect calls, calls that return twice
  std::vector<llvm::Instruction*> ends;    // of the body: returns, and where an exception goes on
  llvm::DenseSet<const llvm::Instruction*> is_push;

  llvm::DenseMap<const llvm::Instruction*, LoopExit> rounds;  // at these ends of blocks loops were left
  llvm::DenseMap<const llvm::Instruction*, const QuietLoop*> quiet;  // their branches back
  llvm::DenseMap<const llvm::Instruction*, unsigned>
      rare;  // branches whose way by this successor has a bit more

  llvm::DenseSet<const llvm::Instruction*> handed_over;  // calls of bodies that take pending bits
  llvm::DenseSet<const llvm::Instruction*> foretold;     // calls of bodies that stand for indirect calls
  llvm::DenseSet<const llvm::Instruction*> known;        // calls of other bodies of this kind

  // The most bits that this push adds.
  unsigned bits_of(const llvm::Instruction& push) const;
};

// Calls that the pending bits have to be elsewhere for.
bool may_leave(const llvm::Instruction& instruction);
// Where control leaves the body for good.
bool is_end(const llvm::Instruction& instruction);

}  // namespace heddle::plugin
