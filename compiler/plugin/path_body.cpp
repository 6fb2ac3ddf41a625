#include "compiler/plugin/path_body.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <utility>

#include "compiler/plugin/path_calls.h"
#include "compiler/plugin/path_code.h"
#include "compiler/plugin/path_numbers.h"
#include "compiler/plugin/path_plan.h"
#include "compiler/plugin/path_pushes.h"
#include "compiler/plugin/path_sites.h"
#include "core/record/path_state.h"
#include "core/record/path_table.h"

namespace heddle::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
using record::StepKind;

class PathBody {
 public:
  PathBody(llvm::Function& body, record::FunctionKey key, PathLoops loops, const PathModule& module, Abi& abi)
      : body_(body), key_(key), loops_(std::move(loops)), module_(module), abi_(abi), code_(body, abi) {
    for (const QuietLoop& loop : loops_.quiet) {
      sites_.quiet[loop.branch] = &loop;
      sites_.rare[loop.rare] = loop.rare_successor;
    }
  }

  void build() {
    hand_over_at_calls();
    count_rounds();
    gather();
    if (sites_.pushes.empty() && sites_.marks.empty() && sites_.calls.empty()) return;
    Builder at(&*body_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    const auto comes_from_elsewhere = [](const Instruction* mark) {
      return step_kind(*mark) != StepKind::kIndirectCall;
    };
    if (llvm::any_of(sites_.marks, comes_from_elsewhere)) code_.keep_state(at);
    for (llvm::CallBase* call : sites_.calls) announce(*call);
    code_.begin(at);
    plan_ = plan_path(body_, sites_, loops_.counted);
    late_before_ = push_lazily(body_, sites_, plan_, code_);
    for (BasicBlock& block : body_) settle_before(block.getTerminator());
    for (BasicBlock* head : plan_.heads) code_.check(&*head->getFirstInsertionPt(), plan_.most_within());
    for (llvm::CallBase* call : sites_.calls) sync(*call);
    for (Instruction* end : sites_.ends) leave(end);
    // Right after the calls, before what sync() has put there.
    for (Instruction* mark : sites_.marks) tell(*mark);
    code_.promote();
    keep_selects();
  }

 private:
  using Builder = PathCode::Builder;

  // --- what there is in the body
  // Bodies that take pending bits are called so, where they are known or foretold.
  void hand_over_at_calls() {
    std::vector<llvm::CallBase*> calls;
    for (BasicBlock& block : body_) {
      for (Instruction& instruction : block) {
        if (is_real_call(instruction)) calls.push_back(&llvm::cast<llvm::CallBase>(instruction));
      }
    }
    for (llvm::CallBase* call : calls) {
      if (llvm::Function* direct = own_body(*call); direct != nullptr && takes_pending(*direct)) {
        sites_.handed_over.insert(replace_by_call_with_pending(*call, direct, code_.slot()));
      } else if (direct != nullptr) {
        call->setCalledFunction(direct);
        sites_.known.insert(call);
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
    llvm::CallBase* own = call_foretold(
        call, code_.slot(), at.CreateICmpEQ(function, call.getCalledOperand()), [&](Builder& then) {
          Value* next =
              then.CreateLoad(abi_.value_type, field(then, entry, offsetof(record::CallEntry, after)));
          then.CreateStore(next, field(then, state, offsetof(record::PathState, after)));
          return then.CreateLoad(then.getPtrTy(), field(then, entry, offsetof(record::CallEntry, body)));
        });
    sites_.handed_over.insert(own);
    sites_.foretold.insert(own);
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
        sites_.rounds[left->getTerminator()] = {&loop, i};
        sites_.pushes.push_back(left->getTerminator());
      }
    }
  }

  void gather() {
    for (BasicBlock& block : body_) {
      for (Instruction& instruction : block) {
        if (may_leave(instruction)) sites_.calls.push_back(&llvm::cast<llvm::CallBase>(instruction));
        const bool is_numbered = place_number(instruction).has_value();
        if (is_numbered && instruction.isTerminator() && !llvm::isa<llvm::InvokeInst>(instruction))
          sites_.pushes.push_back(&instruction);
        else if (is_numbered)
          sites_.marks.push_back(&instruction);
      }
      if (is_end(*block.getTerminator())) sites_.ends.push_back(block.getTerminator());
    }
    sites_.is_push.insert(sites_.pushes.begin(), sites_.pushes.end());
  }

  llvm::Function* own_body(const llvm::CallBase& call) const {
    llvm::Function* callee = callee_of(call);
    if (callee == nullptr || callee->isInterposable() ||
        call.getFunctionType() != callee->getFunctionType() ||
        call.getCallingConv() != callee->getCallingConv())
      return nullptr;
    return module_.bodies.lookup(callee);
  }

  Value* number(std::uint64_t n) const { return code_.number(n); }
  static Value* field(Builder& at, Value* of, std::size_t offset) { return PathCode::field(at, of, offset); }
  std::uint64_t place(const Instruction& of) const {
    return static_cast<std::uint64_t>(record::place_of(key_, *place_number(of)));
  }

  // --- calls and marks
  // Who is called, unless it is a body of this kind: its key, which the entry of the function that is reached
  // compares.
  void announce(llvm::CallBase& call) {
    if (sites_.handed_over.contains(&call) || sites_.known.contains(&call)) return;
    const llvm::Function* callee = callee_of(call);
    const std::uint64_t who = callee == nullptr ? record::kCalledIndirectly | place(call)
                                                : static_cast<std::uint64_t>(key_of(*callee, module_.hash));
    Builder at(&call);
    at.CreateStore(number(who), field(at, code_.state(at), offsetof(record::PathState, called)));
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
      at.CreateCall(abi_.path_mark, {code_.state(at), number(place(mark)), mark_kind(StepKind::kLanding)});
      code_.reload(at);
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
          at.CreateLoad(abi_.value_type, field(at, code_.state(at), offsetof(record::PathState, called)));
      Value* untaken = at.CreateICmpEQ(called, number(record::kCalledIndirectly | place(call)));
      Builder then(llvm::SplitBlockAndInsertIfThen(untaken, next, false, code_.rarely()));
      then.SetCurrentDebugLocation(call.getDebugLoc());
      then.CreateCall(abi_.path_untaken, {});
    } else if (call.getType()->isIntegerTy()) {
      Value* again = at.CreateICmpNE(&call, llvm::ConstantInt::get(call.getType(), 0));
      Builder then(llvm::SplitBlockAndInsertIfThen(again, next, false, code_.rarely()));
      then.SetCurrentDebugLocation(call.getDebugLoc());
      then.CreateCall(abi_.path_mark,
                      {code_.state(then), number(place(call)), mark_kind(StepKind::kSecondReturn)});
    }
  }
  Value* mark_kind(StepKind kind) const {
    return llvm::ConstantInt::get(abi_.id_type, static_cast<std::uint32_t>(kind));
  }

  // --- the pending bits at calls and ends
  void settle_before(Instruction* before) {
    const auto late = late_before_.find(before);
    if (late == late_before_.end()) return;
    code_.settle_before(before, late->second);
    late_before_.erase(late);
  }

  // Before control leaves the function: not more pending bits than others expect.
  void limit(Instruction* before) {
    settle_before(before);
    if (plan_.dirty.contains(before)) code_.check(before, record::kMostPendingInMemory);
  }
  void write_back(Instruction* before) {
    limit(before);
    if (plan_.stale.contains(before)) code_.write_back(before);
  }
  void hand_over(Instruction* before) {
    limit(before);
    code_.hand_over(before);
  }

  void sync(llvm::CallBase& call) {
    const bool is_handed_over = sites_.handed_over.contains(&call);
    is_handed_over ? hand_over(&call) : write_back(&call);
    if (call.isMustTailCall()) return;
    Builder at(after(call));
    is_handed_over ? code_.take_back(at) : code_.reload(at);
  }
  void leave(Instruction* end) {
    llvm::isa<llvm::ReturnInst>(end) && takes_pending(body_) ? hand_over(end) : write_back(end);
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

  llvm::Function& body_;
  record::FunctionKey key_;
  PathLoops loops_;
  const PathModule& module_;
  Abi& abi_;
  PathCode code_;
  PathSites sites_;
  PathPlan plan_;
  LateBefore late_before_;
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
