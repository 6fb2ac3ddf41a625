// The instructions of one body that logs paths which touch the pending bits and the thread's PathState
// (core/record/path_state.h). PathCode only writes code; what has to be written where is decided in
// path_plan.h, path_pushes.h and path_body.cpp.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "compiler/plugin/abi.h"

namespace heddle::plugin {

// Bits that the pass knows and that no instruction has added yet: what is pending is really
// (pending << bits) + sum. So one instruction adds bits that were decided one after the other.
struct LateBits {
  unsigned bits = 0;
  std::int64_t sum = 0;

  bool is_none() const { return bits == 0 && sum == 0; }
  // What is left to add when `done` was added. REQUIRES: `done` has not more bits.
  LateBits after(const LateBits& done) const {
    const unsigned more = bits - done.bits;
    return {more, sum - done.sum * (std::int64_t{1} << more)};
  }
  LateBits with(unsigned count, std::uint64_t more) const {
    return {bits + count, sum * (std::int64_t{1} << count) + static_cast<std::int64_t>(more)};
  }
};

// A block of its own for all edges from a branch or switch to `to`.
llvm::BasicBlock* own_edge(llvm::Instruction& from, llvm::BasicBlock* to);

class PathCode {
 public:
  using Builder = llvm::IRBuilder<>;

  PathCode(llvm::Function& body, Abi& abi);

  // The thread's state is looked up once, at `at`, instead of where it is needed. Code that exceptions and
  // jumps arrive at needs this: they may leave a signal handler, which had another state.
  void keep_state(Builder& at) { own_state_ = abi_.path_state(at); }
  // From `at` on, the pending bits are in a variable of the body. REQUIRES: `at` is in the entry block.
  void begin(Builder& at);

  llvm::Value* number(std::uint64_t n) const { return llvm::ConstantInt::get(abi_.value_type, n); }
  static llvm::Value* field(Builder& at, llvm::Value* of, std::size_t offset) {
    return offset == 0 ? of : at.CreateConstGEP1_64(at.getInt8Ty(), of, offset);
  }
  // Looked up where it is needed, unless it is kept: it would take a register, and hot code does without.
  llvm::Value* state(Builder& at) const { return own_state_ != nullptr ? own_state_ : abi_.path_state(at); }
  llvm::MDNode* rarely() const;

  // What bodies hand over pending bits in.
  llvm::Value* slot() const { return slot_; }
  llvm::Value* pending(Builder& at) const { return at.CreateLoad(abi_.value_type, pending_); }
  void set_pending(Builder& at, llvm::Value* bits) const { at.CreateStore(bits, pending_); }

  // The pending bits from the thread's state or from the slot, and back.
  void reload(Builder& at) const { set_pending(at, at.CreateLoad(abi_.value_type, state(at))); }
  void take_back(Builder& at) const;
  void write_back(llvm::Instruction* before) const;
  void hand_over(llvm::Instruction* before) const;

  // pending = (pending << bits) + sum
  void settle(Builder& at, const LateBits& late) const;
  void settle_before(llvm::Instruction* before, const LateBits& late) const;
  void settle_on_edge(llvm::Instruction& from, llvm::BasicBlock* to, const LateBits& late) const;

  // Where more than `most` bits are pending they are written to the log, as a word (record::PathState::next),
  // so that there is room for more.
  void check(llvm::Instruction* before, unsigned most) const;

  // The number of a loop's rounds as bits, before `end`: as many ones and a zero, or by a call where they are
  // many.
  void push_rounds(llvm::Instruction& end, llvm::function_ref<llvm::Value*(Builder&)> count) const;

  // At the end: the variable becomes a value in registers.
  void promote();

 private:
  llvm::Function& body_;
  Abi& abi_;
  llvm::Value* slot_;
  llvm::Value* own_state_ = nullptr;
  llvm::AllocaInst* pending_ = nullptr;
};

}  // namespace heddle::plugin
