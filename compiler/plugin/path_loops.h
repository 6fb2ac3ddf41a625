// Loops that a log of paths has by the number of their rounds, instead of bits for each round: where a round
// decides nothing but whether it is the last one. Those that have the same number of rounds always, unless
// something else leaves them: that is not in the log at all. And those whose rounds begin with another
// decision: that tells that there was one more.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
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

// A loop of which nothing is in the log while `branch` stays in it: what the next round decides comes next.
// One of the ways that a round may begin by, a rare one, has one bit more, a one; where the loop was left,
// the bits of that way are there, and a zero.
struct QuietLoop {
  llvm::BranchInst* branch = nullptr;  // of the latch
  unsigned leaves_by = 0;              // successor
  // The way: from the header through blocks that only the one before leads to.
  llvm::BranchInst* rare = nullptr;  // its last branch
  unsigned rare_successor = 0;
  unsigned bits = 0;  // of all its branches, but that one more
  std::uint32_t code = 0;

  unsigned leaving_bits() const { return bits + 1; }
  std::uint64_t leaving_code() const { return std::uint64_t{code} << 1; }
};

struct PathLoops {
  std::vector<CountedLoop> counted;
  std::vector<FixedLoop> fixed;
  std::vector<QuietLoop> quiet;
};
PathLoops path_loops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
                     const llvm::BranchProbabilityInfo& likely);

// Rounds that were completed before this exit, as an i64; REQUIRES: `at` is reached by the exit alone.
llvm::Value* completed_rounds(llvm::IRBuilder<>& at, const CountedLoop& loop, const CountedLoop::Exit& exit);

// Lets the loop count, where nothing in it does.
void add_counter(CountedLoop& loop);

}  // namespace heddle::plugin
