#include "compiler/plugin/element_hooks.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/plugin/loop_copies.h"
#include "compiler/plugin/two_bodies.h"

namespace heddle::plugin {
namespace {

using llvm::Instruction;
using llvm::Value;
using Builder = llvm::IRBuilder<>;

class HookWriter {
 public:
  HookWriter(llvm::Function& body, Elements& elements) : body_(body), elements_(elements) {
    llvm::LLVMContext& context = body.getContext();
    byte_ = llvm::Type::getInt8Ty(context);
    word_ = llvm::Type::getInt64Ty(context);
    nothing_ = llvm::Type::getVoidTy(context);
    pointer_ = llvm::PointerType::getUnqual(context);
    rarely_ = llvm::MDBuilder(context).createBranchWeights(1, 16);
  }

  // A function with loops or many accesses tests once whether any of its elements is chosen, and so do its
  // loops; not every access.
  void record() {
    find_marked(body_.begin());
    if (has_loop() || marked_.size() >= kManyAccesses) {
      EntrySet entries;
      for (llvm::BasicBlock& block : body_) add_entries(block, entries);
      if (!entries.empty()) {
        const auto is_any_chosen = [&](Builder& at, const EntrySet& some) {
          llvm::LoadInst* any = at.CreateLoad(byte_, elements_.make_group(some.getArrayRef(), body_));
          leave_alone(*any);
          return at.CreateICmpNE(any, at.getInt8(0));
        };
        llvm::BasicBlock* copy =
            add_copy_of_body(body_, ".recorded", [&](Builder& at) { return is_any_chosen(at, entries); });
        const auto add = [&](llvm::BasicBlock& block, EntrySet& some) { add_entries(block, some); };
        unhooked_ = copy_loops(body_, *copy, entries, {add, is_any_chosen});
        find_marked(copy->getIterator());
      }
    }
    write_record_hooks();
  }

  void announce() {
    find_marked(body_.begin());
    write_announcements();
  }

 private:
  static constexpr std::size_t kManyAccesses = 4;

  void add_entries(llvm::BasicBlock& block, EntrySet& entries) const {
    for (Instruction& instruction : block) {
      for (const ElementAccess& access : elements_.of(instruction)) entries.insert(access.entry);
      if (llvm::GlobalVariable* element = elements_.block_at(instruction)) entries.insert(element);
    }
  }

  void find_marked(llvm::Function::iterator from) {
    marked_.clear();
    for (; from != body_.end(); ++from) {
      if (unhooked_.contains(&*from)) continue;
      for (Instruction& instruction : *from) {
        if (!elements_.of(instruction).empty()) marked_.push_back(&instruction);
      }
    }
  }

  bool has_loop() const {
    llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 8> back_edges;
    llvm::FindFunctionBackedges(body_, back_edges);
    return !back_edges.empty();
  }

  void write_record_hooks() {
    for (std::size_t i = 0; i < marked_.size(); ++i) {
      Instruction* const instruction = marked_[i];
      const ElementAccesses accesses = elements_.of(*instruction);
      if (llvm::GlobalVariable* block = elements_.block_at(*instruction))
        when_chosen(block, instruction, [&](Builder& at) { call(at, "__heddle_touch_element", {block}); });
      if (const HeldAccesses held = held_from(i); held.count > 1) {
        record_held(*instruction, *marked_[i + held.count - 1], accesses.front().entry, held);
        i += held.count - 1;
        continue;
      }
      for (const ElementAccess& access : accesses) {
        switch (access.touch) {
          case Touch::kRead:
            record_read(*llvm::cast<llvm::LoadInst>(instruction), access);
            break;
          case Touch::kWrite:
            record_held(*instruction, *instruction, access.entry, kOneWrite);
            break;
          case Touch::kBefore:
            when_chosen(access.entry, instruction,
                        [&](Builder& at) { call(at, "__heddle_touch_element", {access.entry}); });
            break;
          case Touch::kAfter:
            when_chosen(access.entry, is_last(*instruction) ? instruction : after(*instruction),
                        [&](Builder& at) {
                          if (is_wait(*instruction))
                            call(at, "__heddle_touch_element", {access.entry});
                          else
                            call(at, "__heddle_took_lock", {access.entry, access.pointer});
                        });
            break;
        }
      }
      if (is_wait(*instruction) && !is_last(*instruction)) {
        Value* mutex = mutex_before(*instruction);
        Builder at(after(*instruction));
        at.SetCurrentDebugLocation(place_of(*instruction));
        call(at, "__heddle_waited", {mutex});
      }
    }
  }

  // Accesses of one element, one after the other, for which a thread holds it.
  struct HeldAccesses {
    std::uint32_t count = 0;
    std::uint32_t writes = 0;
    std::uint32_t kinds = 0;  // the first in the lowest bit, 1: a write; and a 1 above the last
  };
  static constexpr HeldAccesses kOneWrite{1, 1, 0b11};
  static constexpr std::uint32_t kMostHeld = 16;

  // The accesses that begin with the marked instruction and end with a write: x += 1 is a read and a write, for
  // which the element need not be taken twice. Nothing between them may wait, or touch another element.
  HeldAccesses held_from(std::size_t first) const {
    HeldAccesses all;
    HeldAccesses to_last_write;
    const llvm::GlobalVariable* entry = nullptr;
    for (std::size_t i = first; i < marked_.size() && all.count < kMostHeld; ++i) {
      const ElementAccesses accesses = elements_.of(*marked_[i]);
      const ElementAccess& access = accesses.front();
      if (accesses.size() != 1 || (access.touch != Touch::kRead && access.touch != Touch::kWrite)) break;
      if (i != first && (access.entry != entry || elements_.block_at(*marked_[i]) != nullptr ||
                         !is_short_way(*marked_[i - 1], *marked_[i])))
        break;
      entry = access.entry;
      const std::uint32_t writes = access.touch == Touch::kWrite ? 1 : 0;
      all.kinds |= writes << all.count++;
      all.writes += writes;
      if (writes != 0) to_last_write = all;
    }
    to_last_write.kinds |= 1u << to_last_write.count;
    return to_last_write;
  }

  // From one instruction to a later one of its block, by nothing but computation and memory of this thread.
  static bool is_short_way(const Instruction& from, const Instruction& to) {
    if (from.getParent() != to.getParent()) return false;
    for (const Instruction* at = from.getNextNode(); at != &to; at = at->getNextNode()) {
      if (at == nullptr || at->isAtomic() || at->isVolatile()) return false;
      if (llvm::isa<llvm::CallBase>(at) && !llvm::isa<llvm::IntrinsicInst>(at)) return false;
    }
    return true;
  }

  void record_held(Instruction& first, Instruction& last, llvm::GlobalVariable* entry,
                   const HeldAccesses& held) {
    when_chosen(entry, &first, [&](Builder& at) { call(at, "__heddle_lock_element", {entry}); });
    when_chosen(entry, last.getNextNode(), [&](Builder& at) {
      call(at, "__heddle_unlock_element", {entry, at.getInt32(held.writes), at.getInt32(held.kinds)});
    });
  }

  void write_announcements() {
    for (Instruction* instruction : marked_) {
      const ElementAccesses accesses = elements_.of(*instruction);
      const bool has_own_turn = instruction->isAtomic() || instruction->isVolatile();
      if (llvm::GlobalVariable* block = elements_.block_at(*instruction))
        when_chosen(block, instruction, [&](Builder& at) {
          call(at, "__heddle_element", {block, null(), at.getInt32(kWrites)});
        });
      for (const ElementAccess& access : accesses) {
        const bool waits = (access.touch == Touch::kAfter && !is_last(*instruction)) ||
                           (has_own_turn && (access.touch == Touch::kRead || access.touch == Touch::kWrite));
        when_chosen(access.entry, instruction, [&](Builder& at) {
          if (waits && access.touch == Touch::kAfter)
            call(at, "__heddle_await_element", {access.entry, null(), at.getInt32(0)});
          else
            call(at, waits ? "__heddle_await_element" : "__heddle_element",
                 {access.entry, access.pointer, how(at, *instruction, access.touch)});
        });
        if (waits)
          when_chosen(access.entry, after(*instruction), [&](Builder& at) {
            if (access.touch == Touch::kAfter && !is_wait(*instruction))
              call(at, "__heddle_passed_lock", {access.entry, access.pointer});
            else
              call(at, "__heddle_passed_element", {access.entry});
          });
      }
      if (is_wait(*instruction) && !is_last(*instruction)) {
        Value* mutex = mutex_before(*instruction);
        Builder before(instruction);
        before.SetCurrentDebugLocation(place_of(*instruction));
        call(before, "__heddle_await_mutex", {mutex});
        Builder at(after(*instruction));
        at.SetCurrentDebugLocation(place_of(*instruction));
        call(at, "__heddle_passed_wait", {mutex});
      }
    }
  }

  llvm::Constant* null() const { return llvm::ConstantPointerNull::get(pointer_); }

  // What is said of an access beside its address: bytes, as far as they are known, and whether it writes
  // (runtime/abi/heddle/element_calls.cpp).
  static constexpr std::uint32_t kWrites = 1;
  static constexpr std::uint64_t kMostBytes = 1u << 30;
  Value* how(Builder& at, Instruction& access, Touch touch) const {
    const std::uint32_t writes = touch != Touch::kRead ? kWrites : 0;
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&access)) {
      Value* length = at.CreateZExtOrTrunc(memory->getLength(), word_);
      Value* bytes = at.CreateBinaryIntrinsic(llvm::Intrinsic::umin, length, at.getInt64(kMostBytes));
      return at.CreateTrunc(at.CreateOr(at.CreateShl(bytes, 1), writes), at.getInt32Ty());
    }
    if (llvm::isa<llvm::CallBase>(access)) return at.getInt32(writes);
    llvm::Type* type = access.getType();
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&access)) type = store->getValueOperand()->getType();
    if (auto* update = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
      type = update->getNewValOperand()->getType();
    const std::uint64_t bytes = body_.getDataLayout().getTypeStoreSize(type).getKnownMinValue();
    return at.getInt32(static_cast<std::uint32_t>(bytes < kMostBytes ? bytes : kMostBytes) << 1 | writes);
  }

  void call(Builder& at, const char* name, llvm::ArrayRef<Value*> arguments) {
    llvm::SmallVector<llvm::Type*, 3> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    call(at, name, nothing_, types, arguments);
  }
  llvm::CallInst* call(Builder& at, const char* name, llvm::Type* answer, llvm::ArrayRef<llvm::Type*> types,
                       llvm::ArrayRef<Value*> arguments) {
    llvm::FunctionCallee callee =
        body_.getParent()->getOrInsertFunction(name, llvm::FunctionType::get(answer, types, false));
    if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) function->setDoesNotThrow();
    return at.CreateCall(callee, arguments);
  }

  static bool is_wait(const Instruction& instruction) {
    return mutex_of_wait(instruction).operand != nullptr;
  }
  // The mutex of a wait, as it is when the wait begins.
  Value* mutex_before(Instruction& wait) {
    const WaitMutex mutex = mutex_of_wait(wait);
    if (!mutex.is_in_lock) return mutex.operand;
    Builder at(&wait);
    at.SetCurrentDebugLocation(place_of(wait));
    llvm::LoadInst* load = at.CreateLoad(pointer_, mutex.operand);
    leave_alone(*load);
    return load;
  }

  // Nothing of the function comes after it.
  static bool is_last(const Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call != nullptr && call->isMustTailCall();
  }

  // Where a call has returned to its function as it should.
  static Instruction* after(Instruction& instruction) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&instruction);
    if (invoke == nullptr) return instruction.getNextNode();
    llvm::BasicBlock* next = invoke->getNormalDest();
    if (next->getSinglePredecessor() == nullptr) next = llvm::SplitEdge(invoke->getParent(), next);
    return &*next->getFirstInsertionPt();
  }

  // Not accesses of the program.
  void leave_alone(Instruction& instruction) {
    instruction.setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(body_.getContext(), {}));
  }

  Value* is_chosen(Builder& at, llvm::GlobalVariable* entry) {
    llvm::LoadInst* chosen =
        at.CreateLoad(byte_, at.CreateConstInBoundsGEP1_64(byte_, entry, record::kChosenInEntry));
    leave_alone(*chosen);
    return at.CreateICmpNE(chosen, at.getInt8(0));
  }

  template <typename Then>
  void when_chosen(llvm::GlobalVariable* entry, Instruction* before, Then then) {
    Builder at(before);
    at.SetCurrentDebugLocation(place_of(*before));
    Instruction* inside = llvm::SplitBlockAndInsertIfThen(is_chosen(at, entry), before, false, rarely_);
    Builder chosen(inside);
    chosen.SetCurrentDebugLocation(place_of(*before));
    then(chosen);
  }

  // A call needs a place where its function has debug information.
  llvm::DebugLoc place_of(const Instruction& instruction) const {
    if (instruction.getDebugLoc()) return instruction.getDebugLoc();
    llvm::DISubprogram* scope = body_.getSubprogram();
    return scope != nullptr ? llvm::DebugLoc(llvm::DILocation::get(body_.getContext(), 0, 0, scope))
                            : llvm::DebugLoc();
  }

  // load, as it was; or: do { v = version; load; } while (version has changed), where the last step also
  // counts it.
  void record_read(llvm::LoadInst& load, const ElementAccess& access) {
    llvm::BasicBlock* before = load.getParent();
    llvm::BasicBlock* plain = before->splitBasicBlock(&load);
    llvm::BasicBlock* rest = plain->splitBasicBlock(load.getNextNode());
    llvm::BasicBlock* recorded = llvm::BasicBlock::Create(body_.getContext(), "heddle.read", &body_, rest);
    Instruction* end = before->getTerminator();
    Builder test(end);
    test.SetCurrentDebugLocation(place_of(load));
    test.CreateCondBr(is_chosen(test, access.entry), recorded, plain, rarely_);
    end->eraseFromParent();

    Builder at(recorded);
    at.SetCurrentDebugLocation(place_of(load));
    llvm::LoadInst* place =
        at.CreateLoad(pointer_, at.CreateConstInBoundsGEP1_64(byte_, access.entry, record::kVersionInEntry));
    leave_alone(*place);
    llvm::LoadInst* version = at.CreateAlignedLoad(word_, place, llvm::Align(8));
    version->setAtomic(llvm::AtomicOrdering::Acquire);
    leave_alone(*version);
    auto* again = llvm::cast<llvm::LoadInst>(at.Insert(load.clone()));
    at.CreateFence(llvm::AtomicOrdering::Acquire);
    llvm::Type* number = at.getInt32Ty();
    Value* changed = call(at, "__heddle_read_element", number, {pointer_, word_}, {access.entry, version});
    at.CreateCondBr(at.CreateICmpNE(changed, at.getInt32(0)), recorded, rest, rarely_);
    if (load.use_empty()) return;
    Builder join(rest, rest->begin());
    llvm::PHINode* value = join.CreatePHI(load.getType(), 2);
    load.replaceAllUsesWith(value);
    value->addIncoming(&load, plain);
    value->addIncoming(again, recorded);
  }

  llvm::Function& body_;
  Elements& elements_;
  llvm::Type* byte_;
  llvm::Type* word_;
  llvm::Type* nothing_;
  llvm::PointerType* pointer_;
  llvm::MDNode* rarely_;
  llvm::SmallVector<Instruction*, 16> marked_;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> unhooked_;  // blocks that stay without hooks
};

}  // namespace

void record_elements(llvm::Function& body, Elements& elements) { HookWriter(body, elements).record(); }
void announce_elements(llvm::Function& body, Elements& elements) { HookWriter(body, elements).announce(); }

}  // namespace heddle::plugin
