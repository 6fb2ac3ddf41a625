#include "compiler/plugin/path_body.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <functional>
#include <utility>

#include "compiler/plugin/path_calls.h"
#include "compiler/plugin/path_numbers.h"
#include "core/record/path_state.h"
#include "core/record/path_table.h"

namespace heddle::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
using record::StepKind;

// Bits that the code knows and has not added yet: what is pending is really (pending << bits) + sum. Bits
// that were decided one after the other are so added by one instruction.
struct Late {
  unsigned bits = 0;
  std::int64_t sum = 0;

  bool is_none() const { return bits == 0 && sum == 0; }
  // What is left to add when `done` was added. REQUIRES: that has not more bits.
  Late after(const Late& done) const {
    const unsigned more = bits - done.bits;
    return {more, sum - done.sum * (std::int64_t{1} << more)};
  }
  Late with(unsigned count, std::uint64_t more) const {
    return {bits + count, sum * (std::int64_t{1} << count) + static_cast<std::int64_t>(more)};
  }
};
constexpr unsigned kMostLate = 24;  // the sum is a constant of an instruction

class PathBody {
 public:
  PathBody(llvm::Function& body, record::FunctionKey key, PathLoops loops, const PathModule& module, Abi& abi)
      : body_(body), key_(key), loops_(std::move(loops)), module_(module), abi_(abi) {
    for (const QuietLoop& loop : loops_.quiet) {
      quiet_[loop.branch] = &loop;
      rare_[loop.rare] = loop.rare_successor;
    }
  }

  void build() {
    hand_over_at_calls();
    count_rounds();
    gather();
    if (pushes_.empty() && marks_.empty() && calls_.empty()) return;
    llvm::IRBuilder<> at(&*body_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    // Exceptions and jumps may leave a signal handler, which had another one.
    const auto comes_from_elsewhere = [](const Instruction* mark) {
      return step_kind(*mark) != StepKind::kIndirectCall;
    };
    if (llvm::any_of(marks_, comes_from_elsewhere)) own_state_ = abi_.path_state(at);
    for (llvm::CallBase* call : calls_) announce(*call);
    pending_ = llvm::IRBuilder<>(&body_.getEntryBlock(), body_.getEntryBlock().begin())
                   .CreateAlloca(abi_.value_type, nullptr, "heddle.pending");
    takes_pending(body_) ? take_back(at) : reload(at);
    plan_checks();
    plan_stores();
    plan_ahead();
    push_lazily();
    for (BasicBlock& block : body_) settle_before(block.getTerminator());
    for (BasicBlock* head : heads_) check(&*head->getFirstInsertionPt(), most_within());
    for (llvm::CallBase* call : calls_) sync(*call);
    for (Instruction* end : ends_) leave(end);
    // Right after the calls, before what sync() has put there.
    for (Instruction* mark : marks_) tell(*mark);
    promote();
    keep_selects();
  }

 private:
  using Builder = llvm::IRBuilder<>;
  using LateIn = llvm::DenseMap<const BasicBlock*, Late>;
  using Additions = std::vector<std::function<void()>>;

  // Bodies that take pending bits are called so, where they are known or foretold.
  void hand_over_at_calls() {
    slot_ = pending_slot(body_);
    std::vector<llvm::CallBase*> calls;
    for (BasicBlock& block : body_) {
      for (Instruction& instruction : block) {
        if (is_real_call(instruction)) calls.push_back(&llvm::cast<llvm::CallBase>(instruction));
      }
    }
    for (llvm::CallBase* call : calls) {
      if (llvm::Function* direct = own_body(*call); direct != nullptr && takes_pending(*direct)) {
        handed_over_.insert(replace_by_call_with_pending(*call, direct, slot_));
      } else if (direct != nullptr) {
        call->setCalledFunction(direct);
        known_.insert(call);
      } else if (is_indirect(*call) && !call->getFunctionType()->isVarArg() && !call->isMustTailCall()) {
        foretell(*call);
      }
    }
  }

  // The entry for this call after the callee before (record::CallEntry).
  void foretell(llvm::CallBase& call) {
    Builder at(&call);
    at.SetCurrentDebugLocation(call.getDebugLoc());
    Value* state = abi_.path_state(at);
    Value* after = at.CreateLoad(abi_.value_type, field(at, state, offsetof(record::PathState, after)));
    Value* entries = at.CreateLoad(at.getPtrTy(), field(at, state, offsetof(record::PathState, calls)));
    Value* offset = at.CreateXor(after, number(record::call_offset(record::kCalledIndirectly | place(call))));
    Value* entry = at.CreateGEP(at.getInt8Ty(), entries, offset);
    Value* function = at.CreateLoad(at.getPtrTy(), field(at, entry, offsetof(record::CallEntry, function)));
    llvm::CallBase* own =
        call_foretold(call, slot_, at.CreateICmpEQ(function, call.getCalledOperand()), [&](Builder& then) {
          Value* next =
              then.CreateLoad(abi_.value_type, field(then, entry, offsetof(record::CallEntry, after)));
          then.CreateStore(next, field(then, state, offsetof(record::PathState, after)));
          return then.CreateLoad(then.getPtrTy(), field(then, entry, offsetof(record::CallEntry, body)));
        });
    handed_over_.insert(own);
    foretold_.insert(own);
  }

  // Loops that are logged by their rounds: that is done where they are left, in blocks of their own.
  void count_rounds() {
    for (const FixedLoop& loop : loops_.fixed) forget_place(*loop.branch);
    for (CountedLoop& loop : loops_.counted) {
      if (!loop.counter) add_counter(loop);
      for (std::uint32_t i = 0; i < loop.exits.size(); ++i) {
        llvm::BranchInst* branch = loop.exits[i].branch;
        BasicBlock* left = own_edge(*branch, branch->getSuccessor(loop.exits[i].leaves_by));
        forget_place(*branch);
        rounds_[left->getTerminator()] = {&loop, i};
        pushes_.push_back(left->getTerminator());
      }
    }
  }

  void gather() {
    for (BasicBlock& block : body_) {
      for (Instruction& instruction : block) {
        if (may_leave(instruction)) calls_.push_back(&llvm::cast<llvm::CallBase>(instruction));
        const bool is_numbered = place_number(instruction).has_value();
        if (is_numbered && instruction.isTerminator() && !llvm::isa<llvm::InvokeInst>(instruction))
          pushes_.push_back(&instruction);
        else if (is_numbered)
          marks_.push_back(&instruction);
      }
      Instruction* end = block.getTerminator();
      if (llvm::isa<llvm::ReturnInst>(end) || llvm::isa<llvm::ResumeInst>(end)) ends_.push_back(end);
    }
  }

  // Calls that pending bits have to be elsewhere for.
  static bool may_leave(const Instruction& instruction) {
    return is_real_call(instruction) && !always_returns(llvm::cast<llvm::CallBase>(instruction));
  }

  llvm::Function* own_body(const llvm::CallBase& call) const {
    llvm::Function* callee = callee_of(call);
    if (callee == nullptr || callee->isInterposable() ||
        call.getFunctionType() != callee->getFunctionType() ||
        call.getCallingConv() != callee->getCallingConv())
      return nullptr;
    return module_.bodies.lookup(callee);
  }

  Value* number(std::uint64_t n) const { return llvm::ConstantInt::get(abi_.value_type, n); }
  static Value* field(Builder& at, Value* of, std::size_t offset) {
    return offset == 0 ? of : at.CreateConstGEP1_64(at.getInt8Ty(), of, offset);
  }
  // Looked up where it is needed: it would take a register, and hot code does without.
  Value* state(Builder& at) { return own_state_ != nullptr ? own_state_ : abi_.path_state(at); }
  std::uint64_t place(const Instruction& of) const {
    return static_cast<std::uint64_t>(record::place_of(key_, *place_number(of)));
  }
  llvm::MDNode* rarely() const { return llvm::MDBuilder(body_.getContext()).createBranchWeights(1, 1 << 10); }

  // Who is called, unless it is a body of this kind: its key, which the entry of the function that is reached
  // compares.
  void announce(llvm::CallBase& call) {
    if (handed_over_.contains(&call) || known_.contains(&call)) return;
    const llvm::Function* callee = callee_of(call);
    const std::uint64_t who = callee == nullptr ? record::kCalledIndirectly | place(call)
                                                : static_cast<std::uint64_t>(key_of(*callee, module_.hash));
    Builder at(&call);
    at.CreateStore(number(who), field(at, state(at), offsetof(record::PathState, called)));
  }

  // After the call, on its normal way.
  static Instruction* after(llvm::CallBase& call) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
    if (invoke == nullptr) return call.getNextNode();
    if (invoke->getNormalDest()->getSinglePredecessor() == nullptr)
      llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest());
    return &*invoke->getNormalDest()->getFirstInsertionPt();
  }

  // Marks and what is told after a call; the pending bits are in memory there.
  void tell(Instruction& mark) {
    if (auto* landing = llvm::dyn_cast<llvm::LandingPadInst>(&mark)) {
      Builder at(&*landing->getParent()->getFirstInsertionPt());
      at.SetCurrentDebugLocation(landing->getDebugLoc());
      at.CreateCall(abi_.path_mark, {own_state_, number(place(mark)), mark_kind(StepKind::kLanding)});
      reload(at);
      return;
    }
    auto& call = llvm::cast<llvm::CallBase>(mark);
    if (call.isMustTailCall()) return;
    Instruction* next = after(call);
    Builder at(next);
    at.SetCurrentDebugLocation(call.getDebugLoc());
    if (step_kind(call) == StepKind::kIndirectCall) {
      // Nobody has taken it: the callee is code without such bodies.
      Value* called =
          at.CreateLoad(abi_.value_type, field(at, state(at), offsetof(record::PathState, called)));
      Value* untaken = at.CreateICmpEQ(called, number(record::kCalledIndirectly | place(call)));
      Builder then(llvm::SplitBlockAndInsertIfThen(untaken, next, false, rarely()));
      then.SetCurrentDebugLocation(call.getDebugLoc());
      then.CreateCall(abi_.path_untaken, {});
    } else if (call.getType()->isIntegerTy()) {
      Value* again = at.CreateICmpNE(&call, llvm::ConstantInt::get(call.getType(), 0));
      Builder then(llvm::SplitBlockAndInsertIfThen(again, next, false, rarely()));
      then.SetCurrentDebugLocation(call.getDebugLoc());
      then.CreateCall(abi_.path_mark, {own_state_, number(place(call)), mark_kind(StepKind::kSecondReturn)});
    }
  }
  Value* mark_kind(StepKind kind) const {
    return llvm::ConstantInt::get(abi_.id_type, static_cast<std::uint32_t>(kind));
  }

  // --- pending bits
  Value* pending(Builder& at) { return at.CreateLoad(abi_.value_type, pending_); }
  void reload(Builder& at) { at.CreateStore(at.CreateLoad(abi_.value_type, state(at)), pending_); }
  void take_back(Builder& at) { at.CreateStore(take_pending(at, slot_), pending_); }

  // pending = (pending << bits) + sum
  void settle(Builder& at, const Late& late) {
    Value* shifted = at.CreateShl(pending(at), late.bits);
    at.CreateStore(at.CreateAdd(shifted, number(static_cast<std::uint64_t>(late.sum))), pending_);
  }
  void settle_before(Instruction* before) {
    const auto late = late_before_.find(before);
    if (late == late_before_.end()) return;
    settle_before(before, late->second);
    late_before_.erase(late);
  }
  void settle_before(Instruction* before, const Late& late) {
    if (late.is_none()) return;
    Builder at(before);
    settle(at, late);
  }

  // Follows what is late through the blocks, each of which comes after those that lead to it (cycles apart),
  // and adds what each end of a block needs.
  void push_lazily() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&body_);
    const std::vector<BasicBlock*> blocks(order.begin(), order.end());
    LateIn late_in;
    const llvm::DenseSet<const Instruction*> pushes(pushes_.begin(), pushes_.end());
    Additions additions;  // they change the blocks
    for (BasicBlock* block : blocks) {
      Late late = late_in.lookup(block);
      for (Instruction& instruction : *block) {
        if (may_leave(instruction) || is_end(instruction)) {
          if (is_foretold(instruction)) late = late.with(1, 1);
          late_before_[&instruction] = late;
          late = {};
        }
        if (llvm::isa<llvm::LandingPadInst>(instruction)) late = {};
      }
      Instruction* end = block->getTerminator();
      const bool is_push = pushes.contains(end);
      if (is_push && (checked_.contains(end) || late.bits + bits_of(*end) > kMostLate)) {
        additions.emplace_back([this, end, late] {
          settle_before(end, late);
          if (checked_.contains(end)) check(end, most_within());
        });
        late = {};
      }
      if (llvm::isa<llvm::InvokeInst>(end)) continue;
      if (const auto rounds = rounds_.find(end); rounds != rounds_.end())
        late = push_rounds(*end, rounds->second, late, additions);
      if (is_push && rounds_.count(end) == 0 && llvm::isa<llvm::BranchInst>(end)) {
        push_branch(llvm::cast<llvm::BranchInst>(*end), late, late_in, additions);
      } else if (is_push && llvm::isa<llvm::SwitchInst>(end)) {
        push_switch(*end, late, late_in, additions);
      } else {
        const auto next = different_successors(*end);
        const bool leads_there_alone =
            llvm::all_of(next, [](BasicBlock* to) { return to->getSinglePredecessor() != nullptr; });
        if (!leads_there_alone) late_before_[end] = next.size() == 1 ? with_ahead(late, next[0]) : late;
        for (const BasicBlock* to : next) late_in[to] = leads_there_alone ? late : Late{};
      }
    }
    for (const auto& add : additions) add();
  }

  // A side that only this branch leads to knows the bit, and adds it when it has to. Where others lead there
  // as well, the bit is added before the branch, as if that side were taken for certain, and the other side
  // knows what is wrong with it.
  void push_branch(llvm::BranchInst& branch, const Late& late, LateIn& late_in, Additions& additions) {
    if (const QuietLoop* loop = quiet_.lookup(&branch)) return push_quiet(*loop, late, late_in, additions);
    const Foresight foreseen = foresee(branch);
    BasicBlock* other = foreseen.other;
    if (foreseen.side == nullptr) {
      late_in[branch.getSuccessor(0)] = with_outcome(late, branch, 1);
      late_in[branch.getSuccessor(1)] = with_outcome(late, branch, 0);
      return;
    }
    const std::int64_t wrong = foreseen.bit != 0 ? -1 : 1;  // on the other side
    if (ahead_.contains(branch.getParent())) {
      // All who lead here have added the bit.
      if (foreseen.other_alone) {
        late_in[other] = Late{0, wrong};
      } else {
        additions.emplace_back([this, &branch, other, wrong] { settle_on_edge(branch, other, {0, wrong}); });
      }
      return;
    }
    const bool is_rare = rare_.count(&branch) != 0;
    const Late taken = with_outcome(late, branch, foreseen.bit);
    const Late not_taken = with_outcome(late, branch, 1 - foreseen.bit);
    if (ahead_.contains(foreseen.side) || (is_rare && !foreseen.other_alone)) {
      // What is added for the block that it leads to would be hard to take back, or is another number of
      // bits.
      if (foreseen.other_alone) {
        late_in[other] = not_taken;
      } else {
        additions.emplace_back([this, &branch, other, not_taken] {
          settle_on_edge(branch, other, with_ahead(not_taken, other));
        });
      }
      additions.emplace_back([this, &branch, side = foreseen.side, taken] {
        settle_on_edge(branch, side, with_ahead(taken, side));
      });
      return;
    }
    // The other side goes on from there, so that nothing has to be computed or kept for one side alone: LLVM
    // would give that a block of its own, and the code another shape than without a log, with more jumps.
    const bool can_go_on = not_taken.bits >= taken.bits;
    const Late after = can_go_on ? not_taken.after(taken) : not_taken;
    if (foreseen.other_alone) late_in[other] = after;
    additions.emplace_back([this, &branch, taken, other, foreseen, can_go_on, after] {
      Builder at(&branch);
      Value* before = pending(at);
      settle(at, taken);
      if (!can_go_on) Builder(&*other->getFirstInsertionPt()).CreateStore(before, pending_);
      if (!foreseen.other_alone) settle_on_edge(branch, other, with_ahead(after, other));
    });
  }

  Late with_outcome(const Late& late, const llvm::BranchInst& branch, std::uint64_t outcome) const {
    const auto rare = rare_.find(&branch);
    if (rare == rare_.end() || rare->second == outcome) return late.with(1, outcome);
    return late.with(2, outcome << 1 | 1);
  }

  // Nothing where it stays.
  void push_quiet(const QuietLoop& loop, const Late& late, LateIn& late_in, Additions& additions) {
    BasicBlock* out = loop.branch->getSuccessor(loop.leaves_by);
    const Late left = Late{}.with(loop.leaving_bits(), loop.leaving_code());
    const bool is_alone = out->getSinglePredecessor() != nullptr;
    if (is_alone) late_in[out] = left;
    additions.emplace_back([this, branch = loop.branch, out, late, left, is_alone] {
      settle_before(branch, late);
      if (!is_alone) settle_on_edge(*branch, out, with_ahead(left, out));
    });
  }

  // Which way of a branch is taken for certain: one that others lead to as well. Where both are, the one that
  // is taken less gets a block of its own: not a loop's next round.
  struct Foresight {
    BasicBlock* side = nullptr;  // none: only this branch leads to either
    BasicBlock* other = nullptr;
    std::uint64_t bit = 0;
    bool other_alone = false;
  };
  Foresight foresee(const llvm::BranchInst& branch) const {
    BasicBlock* yes = branch.getSuccessor(0);
    BasicBlock* no = branch.getSuccessor(1);
    const bool yes_alone = yes->getSinglePredecessor() != nullptr;
    const bool no_alone = no->getSinglePredecessor() != nullptr;
    if (yes_alone && no_alone) return {};
    const bool foreseen = yes_alone ? false : no_alone || heads_.contains(yes);
    return {foreseen ? yes : no, foreseen ? no : yes, foreseen ? 1u : 0u, yes_alone || no_alone};
  }

  // Blocks that several lead to and that add the same bit whoever did: these add it with their own, by the
  // same instruction.
  void plan_ahead() {
    const llvm::DenseSet<const Instruction*> pushes(pushes_.begin(), pushes_.end());
    llvm::DenseSet<const BasicBlock*>
        later;  // comes after `block` in the order: not the beginning of a cycle
    for (BasicBlock* block : llvm::post_order(&body_)) {
      later.insert(block);
      auto* end = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (end == nullptr || !pushes.contains(end) || rounds_.count(end) != 0 || checked_.contains(end) ||
          quiet_.count(end) != 0 || rare_.count(end) != 0)
        continue;
      if (block->getSinglePredecessor() != nullptr || block == &body_.getEntryBlock()) continue;
      const auto may_be_elsewhere = [](const Instruction& one) { return may_leave(one) || one.isEHPad(); };
      const auto can_add = [&](const BasicBlock* before) {
        const Instruction* from = before->getTerminator();
        return !later.contains(before) &&
               (from->getNumSuccessors() == 1 ? llvm::isa<llvm::BranchInst>(from) : pushes.contains(from));
      };
      const Foresight foreseen = foresee(*end);
      if (foreseen.side == nullptr || ahead_.contains(foreseen.side) || ahead_.contains(foreseen.other) ||
          llvm::any_of(*block, may_be_elsewhere) || !llvm::all_of(llvm::predecessors(block), can_add))
        continue;
      ahead_[block] = foreseen.bit;
    }
  }
  Late with_ahead(const Late& late, const BasicBlock* to) const {
    const auto bit = ahead_.find(to);
    return bit == ahead_.end() ? late : late.with(1, bit->second);
  }

  void settle_on_edge(Instruction& from, BasicBlock* to, const Late& late) {
    Builder at(&*own_edge(from, to)->getFirstInsertionPt());
    settle(at, late);
  }

  void push_switch(Instruction& end, const Late& late, LateIn& late_in, Additions& additions) {
    const auto next = different_successors(end);
    for (std::uint32_t i = 0; i < next.size(); ++i) {
      const auto [bits, code] = record::switch_code(static_cast<std::uint32_t>(next.size()), i);
      const Late taken = late.with(bits, code);
      if (next[i]->getSinglePredecessor() != nullptr) {
        late_in[next[i]] = taken;
        continue;
      }
      additions.emplace_back(
          [this, &end, to = next[i], taken] { settle_on_edge(end, to, with_ahead(taken, to)); });
    }
  }

  // How many rounds a loop had, before the end of a block that its exit leads to. What is late afterwards:
  // which exit it was.
  struct Rounds {
    const CountedLoop* loop = nullptr;
    std::uint32_t exit = 0;
  };
  Late push_rounds(Instruction& end, const Rounds& rounds, const Late& late, Additions& additions) {
    additions.emplace_back([this, &end, rounds, late] {
      settle_before(&end, late);
      Builder at(&end);
      at.SetCurrentDebugLocation(end.getDebugLoc());
      Value* count = completed_rounds(at, *rounds.loop, rounds.loop->exits[rounds.exit]);
      Value* is_short = at.CreateICmpULE(count, number(record::kMostUnaryRounds));
      Instruction* few = nullptr;
      Instruction* many = nullptr;
      llvm::SplitBlockAndInsertIfThenElse(is_short, &end, &few, &many);
      // As many ones, and a zero.
      Builder then(few);
      Value* moved =
          then.CreateShl(then.CreateAdd(pending(then), number(1)), then.CreateAdd(count, number(1)));
      then.CreateStore(then.CreateSub(moved, number(2)), pending_);
      Builder otherwise(many);
      otherwise.SetCurrentDebugLocation(end.getDebugLoc());
      otherwise.CreateStore(pending(otherwise), state(otherwise));
      otherwise.CreateCall(abi_.path_rounds, {count})->setCallingConv(llvm::CallingConv::PreserveAll);
      reload(otherwise);
    });
    const auto exits = static_cast<std::uint32_t>(rounds.loop->exits.size());
    const auto [bits, code] = record::switch_code(exits, rounds.exit);
    return Late{}.with(bits, code);
  }

  // One block for all edges from a branch or switch to `to`.
  BasicBlock* own_edge(Instruction& from, BasicBlock* to) {
    BasicBlock* edge = BasicBlock::Create(body_.getContext(), "heddle.case", &body_, to);
    llvm::BranchInst::Create(to, edge)->setDebugLoc(from.getDebugLoc());
    for (unsigned i = 0; i < from.getNumSuccessors(); ++i) {
      if (from.getSuccessor(i) == to) from.setSuccessor(i, edge);
    }
    for (llvm::PHINode& phi : to->phis()) {
      const int first = phi.getBasicBlockIndex(from.getParent());
      phi.setIncomingBlock(static_cast<unsigned>(first), edge);
      for (int other = phi.getBasicBlockIndex(from.getParent()); other >= 0;
           other = phi.getBasicBlockIndex(from.getParent()))
        phi.removeIncomingValue(static_cast<unsigned>(other), false);
    }
    return edge;
  }

  // (All pending bits are below a one: as numbers with a sign they are negative, and so is the bound, which
  // fits into the instruction.)
  Value* is_many(Builder& at, Value* bits, unsigned most) const {
    return at.CreateICmpSLE(bits, number(~std::uint64_t{0} << (most + 1)));
  }

  // Where many bits are pending they are written, as a word (record::PathState::next), so that there is room
  // for more.
  void check(Instruction* before, unsigned most) {
    Builder at(before);
    Value* many = is_many(at, pending(at), most);
    Instruction* written = llvm::SplitBlockAndInsertIfThen(many, before, false, rarely());
    Builder then(written);
    constexpr bool kInThisOrder = true;  // volatile: the process may be killed between any two
    Value* own = state(then);
    Value* place = field(then, own, offsetof(record::PathState, next));
    Value* next = then.CreateLoad(then.getPtrTy(), place);
    Value* none = number(record::PathState::kNonePending);
    then.CreateStore(pending(then), next, kInThisOrder);
    then.CreateStore(none, own, kInThisOrder);
    Value* after_it = field(then, next, sizeof(std::uint64_t));
    then.CreateStore(after_it, place, kInThisOrder);
    then.CreateStore(none, pending_);
    Value* end = then.CreateLoad(then.getPtrTy(), field(then, own, offsetof(record::PathState, end)));
    Value* is_full = then.CreateICmpEQ(after_it, end);
    Builder full(llvm::SplitBlockAndInsertIfThen(is_full, written, false, rarely()));
    llvm::CallInst* call = full.CreateCall(abi_.path_full, {});
    call->setCallingConv(llvm::CallingConv::PreserveAll);
    if (llvm::DISubprogram* scope = body_.getSubprogram())
      call->setDebugLoc(llvm::DILocation::get(body_.getContext(), 0, 0, scope));
  }

  // As many may be pending within the function as leave room for what is added until it is looked again.
  unsigned most_within() const {
    return std::max(record::kMostPendingInMemory, record::kMostPending - most_added_);
  }

  // Before control leaves the function: not more pending bits than others expect.
  void limit(Instruction* before) {
    settle_before(before);
    if (dirty_.contains(before)) check(before, record::kMostPendingInMemory);
  }
  void write_back(Instruction* before) {
    limit(before);
    if (!stale_.contains(before)) return;
    Builder at(before);
    at.CreateStore(pending(at), state(at));
  }
  void hand_over(Instruction* before) {
    limit(before);
    Builder at(before);
    put_pending(at, slot_, pending(at));
  }

  void sync(llvm::CallBase& call) {
    const bool is_handed_over = handed_over_.contains(&call);
    is_handed_over ? hand_over(&call) : write_back(&call);
    if (call.isMustTailCall()) return;
    Builder at(after(call));
    is_handed_over ? take_back(at) : reload(at);
  }
  void leave(Instruction* end) {
    llvm::isa<llvm::ReturnInst>(end) && takes_pending(body_) ? hand_over(end) : write_back(end);
  }

  // --- where the number of pending bits has to be looked at
  unsigned bits_of(const Instruction& push) const {
    if (rounds_.count(&push) != 0) return record::kMostRoundsBits;
    if (const QuietLoop* loop = quiet_.lookup(&push)) return loop->leaving_bits();
    if (llvm::isa<llvm::BranchInst>(push)) return rare_.count(&push) != 0 ? 2 : 1;
    return record::most_switch_bits(static_cast<std::uint32_t>(different_successors(push).size()));
  }

  // How many bits may have been pushed since they were in memory or looked at: at most 32 fit on top of what
  // memory holds. Every cycle that pushes is looked at once in each round.
  void plan_checks() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&body_);
    llvm::DenseMap<const BasicBlock*, unsigned> rank;
    for (const BasicBlock* block : order) rank.insert({block, rank.size()});
    llvm::DenseMap<const BasicBlock*, unsigned> out;
    const llvm::DenseSet<const Instruction*> pushes(pushes_.begin(), pushes_.end());
    const auto walk = [&](BasicBlock* block, unsigned in, bool plan) {
      for (Instruction& instruction : *block) {
        if (is_foretold(instruction)) ++in;  // there is room for one more
        if (plan) most_added_ = std::max(most_added_, in);
        if (plan && in > 0 && (may_leave(instruction) || is_end(instruction))) dirty_.insert(&instruction);
        if (may_leave(instruction) || llvm::isa<llvm::LandingPadInst>(instruction)) in = 0;
        if (!pushes.contains(&instruction)) continue;
        const unsigned bits = bits_of(instruction);
        if (plan && in + bits >= record::kMostPending - record::kMostPendingInMemory) {
          checked_.insert(&instruction);
          in = 0;
        }
        if (checked_.contains(&instruction)) in = 0;
        in += bits;
        if (plan) most_added_ = std::max(most_added_, in);
      }
      out[block] = in;
    };
    const auto incoming = [&](const BasicBlock* block, bool with_cycles) {
      unsigned in = 0;
      for (const BasicBlock* before : llvm::predecessors(block)) {
        if (!rank.contains(before)) continue;
        if (with_cycles || rank.lookup(before) < rank.lookup(block)) in = std::max(in, out.lookup(before));
      }
      return in;
    };
    // Bits that come around a cycle: the first push of the round after looks.
    for (BasicBlock* block : order) walk(block, incoming(block, false), false);
    for (BasicBlock* block : order) {
      // What was pushed before such a loop comes around it, but does not grow.
      if (llvm::any_of(loops_.counted, [&](const CountedLoop& loop) { return loop.header == block; }))
        continue;
      for (const BasicBlock* before : llvm::predecessors(block)) {
        if (rank.contains(before) && rank.lookup(before) >= rank.lookup(block) && out.lookup(before) > 0)
          heads_.insert(block);
      }
    }
    for (BasicBlock* block : order) {
      const bool is_head = heads_.contains(block);
      // Looked at in its beginning: nothing but what fits is pending, and that is more than memory has.
      walk(block, is_head ? 1 : incoming(block, true), true);
    }
  }
  // Before which calls and ends the bits in memory are not those that are pending.
  void plan_stores() {
    const llvm::DenseSet<const Instruction*> pushes(pushes_.begin(), pushes_.end());
    llvm::DenseMap<const BasicBlock*, bool> stale_out;
    const auto walk = [&](BasicBlock& block) {
      bool stale = &block == &body_.getEntryBlock() && takes_pending(body_);
      for (const BasicBlock* before : llvm::predecessors(&block)) stale = stale || stale_out.lookup(before);
      for (Instruction& instruction : block) {
        const bool is_call = may_leave(instruction);
        if (stale && (is_call || is_end(instruction))) stale_.insert(&instruction);
        if (is_call) stale = handed_over_.contains(&instruction);
        if (llvm::isa<llvm::LandingPadInst>(instruction)) stale = false;
        if (pushes.contains(&instruction)) stale = true;
      }
      return std::exchange(stale_out[&block], stale) != stale;
    };
    const llvm::ReversePostOrderTraversal<llvm::Function*> order(&body_);
    for (bool again = true; again;) {
      again = false;
      for (BasicBlock* block : order) again = walk(*block) || again;
    }
  }
  bool is_foretold(const Instruction& instruction) const { return foretold_.contains(&instruction); }
  static bool is_end(const Instruction& instruction) {
    return llvm::isa<llvm::ReturnInst>(instruction) || llvm::isa<llvm::ResumeInst>(instruction);
  }

  // The checks in loops make LLVM think again of what to do without branches there, to their loss.
  void keep_selects() {
    llvm::MDNode* unpredictable = llvm::MDBuilder(body_.getContext()).createUnpredictable();
    for (BasicBlock& block : body_) {
      for (Instruction& instruction : block) {
        if (llvm::isa<llvm::SelectInst>(instruction))
          instruction.setMetadata(llvm::LLVMContext::MD_unpredictable, unpredictable);
      }
    }
  }

  void promote() {
    llvm::DominatorTree dominators(body_);
    llvm::PromoteMemToReg({pending_}, dominators);
    // Loads of what nobody pushes on.
    llvm::SmallVector<llvm::WeakTrackingVH, 16> unused;
    for (BasicBlock& block : body_) {
      for (Instruction& instruction : block) {
        if (llvm::isa<llvm::LoadInst>(instruction) && instruction.use_empty())
          unused.emplace_back(&instruction);
      }
    }
    for (const llvm::WeakTrackingVH& load : unused) {
      if (Value* value = load) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
    }
  }

  llvm::Function& body_;
  record::FunctionKey key_;
  PathLoops loops_;
  const PathModule& module_;
  Abi& abi_;
  Value* own_state_ = nullptr;  // at the entry, for those who come from elsewhere
  Value* slot_ = nullptr;       // bodies hand over pending bits in it
  llvm::AllocaInst* pending_ = nullptr;
  std::vector<llvm::CallBase*> calls_;
  std::vector<Instruction*> pushes_;  // terminators
  std::vector<Instruction*> marks_;   // landing pads, indirect calls, calls that return twice
  std::vector<Instruction*> ends_;
  llvm::SmallSetVector<BasicBlock*, 8> heads_;  // of cycles that push: looked at in each round
  llvm::DenseMap<const Instruction*, Late> late_before_;
  llvm::DenseMap<const Instruction*, Rounds> rounds_;           // at these ends of blocks loops were left
  llvm::DenseMap<const BasicBlock*, std::uint64_t> ahead_;      // who leads there adds this bit of its branch
  llvm::DenseMap<const Instruction*, const QuietLoop*> quiet_;  // their branches back
  llvm::DenseMap<const Instruction*, unsigned> rare_;  // branches whose way by this successor has a bit more
  unsigned most_added_ = 0;                            // bits, before they are looked at again
  llvm::DenseSet<const Instruction*> checked_;         // pushes that look first
  llvm::DenseSet<const Instruction*> dirty_;        // calls and ends before which bits may have been pushed
  llvm::DenseSet<const Instruction*> stale_;        // calls and ends before which memory lacks such bits
  llvm::DenseSet<const Instruction*> handed_over_;  // calls of bodies that take pending bits
  llvm::DenseSet<const Instruction*> foretold_;     // calls of bodies that stand for indirect calls
  llvm::DenseSet<const Instruction*> known_;        // calls of other bodies of this kind
};

}  // namespace

void make_path_body(llvm::Function& body, record::FunctionKey key, PathLoops loops, const PathModule& module,
                    Abi& abi) {
  PathBody(body, key, std::move(loops), module, abi).build();
}

void add_path_entry(BasicBlock* from, BasicBlock* to, const PathEntry& entry, Abi& abi) {
  llvm::LLVMContext& context = from->getContext();
  llvm::Function* board = from->getParent();
  Value* own = llvm::ConstantInt::get(abi.value_type, static_cast<std::uint64_t>(entry.key));
  BasicBlock* announced = BasicBlock::Create(context, "announced", board, to);
  BasicBlock* unannounced = BasicBlock::Create(context, "unannounced", board, to);
  llvm::IRBuilder<> at(from);
  Value* called =
      at.CreateConstGEP1_64(at.getInt8Ty(), abi.path_state(at), offsetof(record::PathState, called));
  at.CreateCondBr(at.CreateICmpEQ(at.CreateLoad(abi.value_type, called), own), announced, unannounced);
  at.SetInsertPoint(announced);
  at.CreateStore(llvm::ConstantInt::get(abi.value_type, 0), called);
  at.CreateBr(to);
  at.SetInsertPoint(unannounced);
  Value* body = takes_pending(*entry.body) ? static_cast<Value*>(entry.body)
                                           : llvm::ConstantPointerNull::get(at.getPtrTy());
  at.CreateCall(abi.path_entered, {own, entry.named, body});
  at.CreateBr(to);
}

}  // namespace heddle::plugin
