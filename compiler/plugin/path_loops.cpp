#include "compiler/plugin/path_loops.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "compiler/plugin/path_numbers.h"
#include "core/record/path_table.h"

namespace heddle::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

// How much `next` is more than `phi` in each round; none if that is not known.
std::optional<std::int64_t> step_between(const llvm::PHINode& phi, const Value& next) {
  const llvm::DataLayout& layout = phi.getModule()->getDataLayout();
  if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&next)) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(gep->getType()), 0);
    if (gep->getPointerOperand() != &phi || !gep->accumulateConstantOffset(layout, offset))
      return std::nullopt;
    return offset.getSExtValue();
  }
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(&next);
  if (sum == nullptr || sum->getOpcode() != Instruction::Add || sum->getOperand(0) != &phi)
    return std::nullopt;
  const auto* step = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
  if (step == nullptr || step->getBitWidth() > 64) return std::nullopt;
  return step->getSExtValue();
}

// Does it come back to the same number only after more rounds than any program does?
bool never_wraps(const Value& next) {
  if (next.getType()->isPointerTy() || next.getType()->isIntegerTy(64)) return true;
  const auto* sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&next);
  return sum != nullptr && (sum->hasNoSignedWrap() || sum->hasNoUnsignedWrap());
}

std::optional<RoundCounter> counter_of(llvm::PHINode& phi, const Loop& loop) {
  auto* next = llvm::dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (loop.getLoopPredecessor() == nullptr || next == nullptr || !never_wraps(*next)) return std::nullopt;
  const auto step = step_between(phi, *next);
  if (!step || *step == 0) return std::nullopt;
  const std::uint64_t size =
      *step < 0 ? 0 - static_cast<std::uint64_t>(*step) : static_cast<std::uint64_t>(*step);
  constexpr std::uint64_t kLargest = 1 << 16;  // 2^48 rounds and more are not told apart
  if (!llvm::isPowerOf2_64(size) || size > kLargest) return std::nullopt;
  return RoundCounter{&phi, next, llvm::Log2_64(size), *step < 0};
}

// What it is in the first round. (Calls are replaced by others before it is asked for.)
Value* start_of(const RoundCounter& counter, const BasicBlock* latch) {
  for (unsigned i = 0;; ++i) {
    if (counter.in_round->getIncomingBlock(i) != latch) return counter.in_round->getIncomingValue(i);
  }
}

// A constant start takes no register.
std::optional<RoundCounter> find_counter(const Loop& loop) {
  std::optional<RoundCounter> found;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    const auto counter = counter_of(phi, loop);
    if (!counter) continue;
    if (llvm::isa<llvm::Constant>(start_of(*counter, loop.getLoopLatch()))) return counter;
    if (!found) found = counter;
  }
  return found;
}

bool changes_steadily(const Value* value, const Loop& loop) {
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    const Value* next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    if ((value == &phi || value == next) && step_between(phi, *next)) return true;
  }
  return false;
}

bool is_bounded_by(const CountedLoop::Exit& exit, const Loop& loop) {
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(exit.branch->getCondition());
  if (compared == nullptr) return false;
  const Value* a = compared->getOperand(0);
  const Value* b = compared->getOperand(1);
  return (loop.isLoopInvariant(a) && changes_steadily(b, loop)) ||
         (loop.isLoopInvariant(b) && changes_steadily(a, loop));
}

bool is_silent(const BasicBlock& block) {
  for (const Instruction& instruction : block) {
    if (is_real_call(instruction) || instruction.isEHPad()) return false;
    if (place_number(instruction) && !llvm::isa<llvm::BranchInst>(instruction)) return false;
  }
  return true;
}

// Follows a round from the header to the latch. False: it is no chain.
bool gather_exits(const Loop& loop, CountedLoop& counted) {
  std::size_t seen = 0;
  for (BasicBlock* block = counted.header;;) {
    if (++seen > loop.getNumBlocks() || !is_silent(*block)) return false;
    auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (end == nullptr) return false;
    BasicBlock* next = end->getSuccessor(0);
    if (place_number(*end)) {
      if (loop.contains(end->getSuccessor(0)) == loop.contains(end->getSuccessor(1))) return false;
      const unsigned leaves_by = loop.contains(end->getSuccessor(0)) ? 1 : 0;
      counted.exits.push_back({end, leaves_by});
      next = end->getSuccessor(1 - leaves_by);
    }
    if (next == counted.header) return block == counted.latch && seen == loop.getNumBlocks();
    block = next;
  }
}

std::optional<CountedLoop> as_counted(const Loop& loop) {
  CountedLoop counted;
  counted.header = loop.getHeader();
  counted.latch = loop.getLoopLatch();
  if (!loop.isInnermost() || counted.latch == nullptr || !gather_exits(loop, counted)) return std::nullopt;
  if (counted.exits.empty() || counted.exits.size() > record::kMostExits) return std::nullopt;
  const auto is_bound = [&](const CountedLoop::Exit& exit) { return is_bounded_by(exit, loop); };
  if (llvm::none_of(counted.exits, is_bound)) return std::nullopt;
  counted.counter = find_counter(loop);
  return counted;
}

bool calls_nobody(const Loop& loop) {
  return llvm::none_of(loop.blocks(), [](const BasicBlock* block) {
    return llvm::any_of(*block, [](const Instruction& one) { return is_real_call(one) || one.isEHPad(); });
  });
}

// Where nothing else is decided in each round, its bits would not tell how far the loop has come.
bool decides_in_each_round(const Loop& loop, const llvm::BranchInst& apart_from) {
  for (const BasicBlock* block = loop.getHeader();;) {
    const Instruction* end = block->getTerminator();
    if (end != &apart_from && place_number(*end)) return true;
    if (end->getNumSuccessors() != 1) return false;
    block = end->getSuccessor(0);
    if (block == loop.getHeader()) return false;
  }
}

std::optional<FixedLoop> as_fixed(Loop& loop, llvm::ScalarEvolution& evolution) {
  BasicBlock* latch = loop.getLoopLatch();
  if (!loop.isInnermost() || latch == nullptr || !loop.isLoopExiting(latch) || !calls_nobody(loop))
    return std::nullopt;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  if (branch == nullptr || !place_number(*branch) || !decides_in_each_round(loop, *branch))
    return std::nullopt;
  const unsigned rounds = evolution.getSmallConstantTripCount(&loop, latch);
  if (rounds == 0) return std::nullopt;
  return FixedLoop{loop.getHeader(), latch, branch, loop.contains(branch->getSuccessor(0)) ? 1u : 0u, rounds};
}

// How many bits such a loop has in place of one for each round, if there are so many rounds.
constexpr double kRoundsExpected = 16;
constexpr double kMostExpectedBits = 11;

// A branch that is logged, and before which nothing in its block has bits of its own.
llvm::BranchInst* first_decision_of(BasicBlock& block) {
  for (const Instruction& one : block) {
    if (one.isEHPad()) return nullptr;
    if (is_real_call(one) && !always_returns(llvm::cast<llvm::CallBase>(one))) return nullptr;
  }
  auto* end = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return end != nullptr && place_number(*end) ? end : nullptr;
}

// The way of a round's beginning that costs least, as far as is known.
class RareWay {
 public:
  RareWay(const Loop& loop, const llvm::BranchProbabilityInfo& likely) : loop_(loop), likely_(likely) {
    look(*loop.getHeader(), {}, 1);
  }
  double expected_bits() const { return expected_bits_; }
  const QuietLoop& found() const { return found_; }

 private:
  void look(BasicBlock& block, const QuietLoop& before, double probability) {
    llvm::BranchInst* branch = first_decision_of(block);
    if (branch == nullptr || !loop_.contains(&block) || &block == loop_.getLoopLatch()) return;
    for (unsigned i = 0; i < 2; ++i) {
      QuietLoop way = before;
      way.rare = branch;
      way.rare_successor = i;
      ++way.bits;
      way.code = way.code << 1 | (1 - i);
      const llvm::BranchProbability here = likely_.getEdgeProbability(&block, i);
      const double taken = probability * here.getNumerator() / llvm::BranchProbability::getDenominator();
      if (const double bits = kRoundsExpected * taken + way.bits; bits < expected_bits_) {
        expected_bits_ = bits;
        found_ = way;
      }
      BasicBlock* next = branch->getSuccessor(i);
      if (way.bits < record::kMostRareBits && next->getSinglePredecessor() != nullptr)
        look(*next, way, taken);
    }
  }

  const Loop& loop_;
  const llvm::BranchProbabilityInfo& likely_;
  double expected_bits_ = kRoundsExpected;
  QuietLoop found_;
};

// Does it compare something that changes steadily, so that many rounds are to be expected? (What it is
// compared to may change: a call may do that.)
bool counts_rounds(const llvm::BranchInst& branch, const Loop& loop) {
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
  return compared != nullptr &&
         (changes_steadily(compared->getOperand(0), loop) || changes_steadily(compared->getOperand(1), loop));
}

std::optional<QuietLoop> as_quiet(const Loop& loop, const llvm::BranchProbabilityInfo& likely) {
  BasicBlock* latch = loop.getLoopLatch();
  if (latch == nullptr || !loop.isLoopExiting(latch)) return std::nullopt;
  auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  if (branch == nullptr || !place_number(*branch) || !counts_rounds(*branch, loop)) return std::nullopt;
  const RareWay way(loop, likely);
  if (way.expected_bits() > kMostExpectedBits) return std::nullopt;
  QuietLoop quiet = way.found();
  quiet.branch = branch;
  quiet.leaves_by = loop.contains(branch->getSuccessor(0)) ? 1 : 0;
  return quiet;
}

}  // namespace

PathLoops path_loops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
                     const llvm::BranchProbabilityInfo& likely) {
  PathLoops found;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (auto counted = as_counted(*loop)) {
      found.counted.push_back(std::move(*counted));
    } else if (const auto fixed = as_fixed(*loop, evolution)) {
      found.fixed.push_back(*fixed);
    } else if (const auto quiet = as_quiet(*loop, likely)) {
      found.quiet.push_back(*quiet);
    }
  }
  return found;
}

Value* completed_rounds(llvm::IRBuilder<>& at, const CountedLoop& loop, const CountedLoop::Exit& exit) {
  const RoundCounter& counter = *loop.counter;
  // What the next round begins with, where it is known already: otherwise both would be kept.
  const BasicBlock* known_in = counter.in_next->getParent();
  bool is_next_known = false;
  for (const CountedLoop::Exit& one : loop.exits) {
    if (one.branch->getParent() == known_in) is_next_known = true;
    if (one.branch == exit.branch) break;
  }
  // (Frozen: otherwise LLVM gives the loop another variable, which has the number of rounds.)
  const auto as_word = [&](Value* value) {
    value = at.CreateFreeze(value);
    return value->getType()->isPointerTy() ? at.CreatePtrToInt(value, at.getInt64Ty()) : value;
  };
  Value* now = as_word(is_next_known ? static_cast<Value*>(counter.in_next) : counter.in_round);
  Value* start = as_word(start_of(counter, loop.latch));
  Value* moved = counter.goes_down ? at.CreateSub(start, now) : at.CreateSub(now, start);
  Value* rounds = at.CreateZExt(at.CreateLShr(moved, counter.shift), at.getInt64Ty());
  return is_next_known ? at.CreateSub(rounds, at.getInt64(1)) : rounds;
}

void add_counter(CountedLoop& loop) {
  llvm::IRBuilder<> at(loop.header, loop.header->begin());
  llvm::PHINode* rounds = at.CreatePHI(at.getInt64Ty(), 2, "heddle.rounds");
  at.SetInsertPoint(loop.latch->getTerminator());
  auto* next = llvm::cast<Instruction>(at.CreateAdd(rounds, at.getInt64(1)));
  for (BasicBlock* before : llvm::predecessors(loop.header))
    rounds->addIncoming(before == loop.latch ? static_cast<Value*>(next) : at.getInt64(0), before);
  loop.counter = RoundCounter{rounds, next, 0, false};
}

}  // namespace heddle::plugin
