// Loops that a log of paths has by the number of their rounds, instead of bits for each round: where a round
// decides nothing but whether it is the last one. And those that have the same number of rounds always,
// unless something else leaves them: that is not in the log at all.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

namespace heddle::plugin {

// A value that every round changes by a power of two: it tells how many there were.
struct RoundCounter {
  llvm::PHINode* in_round = nullptr;
  llvm::Instruction* in_next = nullptr;
  unsigned shift = 0;
  bool goes_down = false;
};

struct CountedLoop {
  llvm::BasicBlock* header = nullptr;
  llvm::BasicBlock* latch = nullptr;
  // The branches that leave it, in the order in which each round comes to them.
  struct Exit {
    llvm::BranchInst* branch;
    unsigned leaves_by;  // successor
  };
  llvm::SmallVector<Exit, 2> exits;
  std::optional<RoundCounter> counter;  // none: one has to be added
};

// A loop is one if nothing in it calls or decides, but branches that leave it, each of which every round
// comes to unless it has left; and if one of these compares what changes steadily to what does not change, so
// that many rounds are to be expected.

// A loop in which more is decided, bit by bit, and nothing is called; but whether `branch` leaves it is
// known.
struct FixedLoop {
  llvm::BasicBlock* header = nullptr;
  llvm::BasicBlock* latch = nullptr;
  llvm::BranchInst* branch = nullptr;  // in every round, unless the loop was left before
  unsigned leaves_by = 0;              // successor
  std::uint32_t rounds = 0;            // it leaves when the loop comes to it for the so-many-th time
};

struct PathLoops {
  std::vector<CountedLoop> counted;
  std::vector<FixedLoop> fixed;
};
PathLoops path_loops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

// Rounds that were completed before this exit, as an i64; REQUIRES: `at` is reached by the exit alone.
llvm::Value* completed_rounds(llvm::IRBuilder<>& at, const CountedLoop& loop, const CountedLoop::Exit& exit);

// Lets the loop count, where nothing in it does.
void add_counter(CountedLoop& loop);

}  // namespace heddle::plugin
