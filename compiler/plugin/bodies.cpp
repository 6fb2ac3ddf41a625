#include "compiler/plugin/bodies.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/plugin/path_body.h"
#include "compiler/plugin/path_calls.h"
#include "compiler/plugin/two_bodies.h"

namespace heddle::plugin {
namespace {

using llvm::Function;

const char* suffix_of(record::Mode mode) {
  switch (mode) {
    case record::Mode::kPath:
      return ".heddle_path";
    case record::Mode::kElements:
      return ".heddle_elements";
    case record::Mode::kNative:
    case record::Mode::kEngine:
      break;
  }
  return ".heddle";
}

// ThreadSanitizer's pass adds calls for atomics, entries and exits also where a function is not to be
// sanitized, unless it is told so.
void keep_plain(Function& function) {
  function.removeFnAttr(llvm::Attribute::SanitizeThread);
  function.addFnAttr(llvm::Attribute::DisableSanitizerInstrumentation);
}

// What was true of the plain body alone.
void forget_effects(Function& function) {
  for (const llvm::Attribute::AttrKind kind : {llvm::Attribute::Memory, llvm::Attribute::NoSync,
                                               llvm::Attribute::NoCallback, llvm::Attribute::Speculatable})
    function.removeFnAttr(kind);
}

// Only `f` reaches the copy: a local symbol, which goes with f where the linker keeps another module's copy of f.
void make_local_to(const Function& named, Function& copy) {
  copy.setLinkage(llvm::GlobalValue::InternalLinkage);
  copy.setVisibility(llvm::GlobalValue::DefaultVisibility);
  copy.setDSOLocal(true);
  copy.setComdat(const_cast<Function&>(named).getComdat());
}

// Other functions call it directly: where several modules have the function, it is a group of its own, since
// the copy of `f` that the linker keeps may be of a module that was not compiled by this pass.
void make_shared_like(const Function& named, Function& copy) {
  if (named.hasLocalLinkage() || named.isInterposable() || (!named.hasComdat() && !named.isWeakForLinker()))
    return make_local_to(named, copy);
  copy.setComdat(copy.getParent()->getOrInsertComdat(copy.getName()));
  copy.setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);
  copy.setVisibility(llvm::GlobalValue::HiddenVisibility);
  copy.setDSOLocal(true);
}

Function* clone(Function& function) {
  llvm::ValueToValueMapTy map;
  return llvm::CloneFunction(&function, map);
}

Function* named_copy(const Function& function, Function* copy, const char* suffix) {
  copy->setName(function.getName() + suffix);
  copy->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  forget_effects(*copy);
  return copy;
}

// The call of `target` with what the function was called with, and `slot`, if it takes that (path_calls.h).
llvm::CallInst* pass_on(llvm::IRBuilder<>& at, Function& from, Function* target,
                        llvm::Value* slot = nullptr) {
  // (A call in a function that has debug information has a place, or the module is not valid.)
  if (llvm::DISubprogram* scope = from.getSubprogram())
    at.SetCurrentDebugLocation(llvm::DILocation::get(from.getContext(), scope->getScopeLine(), 0, scope));
  llvm::SmallVector<llvm::Value*, 8> arguments;
  for (llvm::Argument& argument : from.args()) arguments.push_back(&argument);
  const llvm::AttributeList own = from.getAttributes();
  llvm::SmallVector<llvm::AttributeSet, 8> parameters;
  for (unsigned i = 0; i < from.arg_size(); ++i) parameters.push_back(own.getParamAttrs(i));
  if (slot != nullptr) {
    arguments.push_back(slot);
    parameters.push_back(target->getAttributes().getParamAttrs(from.arg_size()));
  }
  const auto attributes =
      llvm::AttributeList::get(from.getContext(), llvm::AttributeSet(), own.getRetAttrs(), parameters);
  llvm::CallInst* call = at.CreateCall(target, arguments);
  call->setCallingConv(from.getCallingConv());
  call->setAttributes(attributes);
  return call;
}

void return_result(llvm::IRBuilder<>& at, llvm::CallInst* call) {
  call->getType()->isVoidTy() ? at.CreateRetVoid() : at.CreateRet(call);
}

// By a tail call: LLVM 19 copies structures that are passed by value over its own stack in those.
bool can_be_handed_on(const Function& function) {
  return can_be_recorded(function) &&
         llvm::none_of(function.args(), [](const llvm::Argument& one) { return one.hasByValAttr(); });
}

// Ends `block` with that call in its place on the stack, if that can be: the caller, as a stack shows it,
// stays f's.
void go_on_in(Function& from, llvm::BasicBlock* block, Function* target) {
  llvm::IRBuilder<> at(block);
  llvm::CallInst* call = pass_on(at, from, target);
  call->setTailCallKind(can_be_handed_on(from) ? llvm::CallInst::TCK_MustTail : llvm::CallInst::TCK_NoTail);
  return_result(at, call);
}

// The pending bits are in memory; the body takes and returns them in a register.
void enter_path_body(llvm::BasicBlock* block, Function& named, Function& body, record::FunctionKey key,
                     Abi& abi) {
  Function& board = *block->getParent();
  llvm::BasicBlock* entered = llvm::BasicBlock::Create(board.getContext(), "entered", &board);
  add_path_entry(block, entered, {key, &named, &body}, abi);
  if (!takes_pending(body)) return go_on_in(board, entered, &body);
  llvm::IRBuilder<> at(entered);
  llvm::Value* slot = pending_slot(board);
  put_pending(at, slot, at.CreateLoad(abi.value_type, abi.path_state(at)));
  llvm::CallInst* call = pass_on(at, board, &body, slot);
  at.CreateStore(take_pending(at, slot), abi.path_state(at));
  return_result(at, call);
}

Function* make_switchboard(const Bodies& bodies, Abi& abi) {
  Function& named = *bodies.named;
  Function* board =
      Function::Create(named.getFunctionType(), llvm::GlobalValue::InternalLinkage, named.getAddressSpace(),
                       named.getName() + ".heddle_mode", named.getParent());
  make_local_to(named, *board);
  board->setCallingConv(named.getCallingConv());
  board->setAttributes(named.getAttributes());
  keep_plain(*board);
  board->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  board->addFnAttr(llvm::Attribute::Cold);
  forget_effects(*board);
  llvm::LLVMContext& context = named.getContext();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, board); };
  llvm::BasicBlock* entry = block("entry");
  llvm::BasicBlock* engine = block("engine");
  if (bodies.engine != bodies.named) {
    go_on_in(*board, engine, bodies.engine);
  } else {
    new llvm::UnreachableInst(context, engine);
  }
  llvm::IRBuilder<> at(entry);
  llvm::SwitchInst* by_mode = at.CreateSwitch(abi.mode(at), engine);
  for (const Bodies::Recording& one : bodies.recordings) {
    llvm::BasicBlock* first = block("record");
    by_mode->addCase(llvm::ConstantInt::get(abi.id_type, static_cast<std::uint32_t>(one.mode)), first);
    if (one.mode == record::Mode::kPath) {
      enter_path_body(first, named, *one.body, bodies.key, abi);
    } else {
      go_on_in(*board, first, one.body);
    }
  }
  return board;
}

}  // namespace

bool can_be_recorded(const Function& function) {
  // Other conventions save the register that pending bits are handed over in.
  if (function.getCallingConv() != llvm::CallingConv::C &&
      function.getCallingConv() != llvm::CallingConv::Fast)
    return false;
  for (const llvm::Argument& one : function.args()) {
    if (one.hasSwiftErrorAttr()) return false;
    // (What comes after those that are named only a tail call hands on.)
    if (one.hasPassPointeeByValueCopyAttr() && (!one.hasByValAttr() || function.isVarArg())) return false;
  }
  return true;
}

Bodies split(Function& function, llvm::ArrayRef<record::Mode> recordings) {
  Bodies bodies;
  bodies.named = &function;
  if (can_be_handed_on(function)) {
    bodies.engine = named_copy(function, clone(function), suffix_of(record::Mode::kEngine));
    make_local_to(function, *bodies.engine);
  } else {
    bodies.engine = &function;
  }
  for (const record::Mode mode : recordings) {
    const bool hands_bits_over = mode == record::Mode::kPath && can_take_pending(function);
    Function* copy = hands_bits_over ? named_copy(function, copy_that_takes_pending(function), ".heddle_bits")
                                     : named_copy(function, clone(function), suffix_of(mode));
    make_shared_like(function, *copy);
    keep_plain(*copy);
    bodies.recordings.push_back({mode, copy});
  }
  if (bodies.engine != &function) keep_plain(function);
  return bodies;
}

void call_directly(llvm::ArrayRef<Bodies> all, record::Mode mode) {
  llvm::DenseMap<const Function*, Function*> body_of;
  for (const Bodies& bodies : all) {
    // (Another module's function of that name may take its place.)
    if (Function* body = bodies.recording(mode); body != nullptr && !bodies.named->isInterposable())
      body_of[bodies.named] = body;
  }
  for (const auto& [named, body] : body_of) {
    for (llvm::BasicBlock& block : *body) {
      for (llvm::Instruction& instruction : block) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr || call->getCalledFunction() == nullptr) continue;
        if (Function* next = body_of.lookup(call->getCalledFunction())) call->setCalledFunction(next);
      }
    }
  }
}

void connect(const Bodies& bodies, Abi& abi) {
  Function& named = *bodies.named;
  const bool is_own_engine = bodies.engine == &named;
  if (is_own_engine && bodies.recordings.empty()) return;
  Function* board = make_switchboard(bodies, abi);
  forget_effects(named);
  llvm::BasicBlock& entry = named.getEntryBlock();
  llvm::BasicBlock* plain = entry.splitBasicBlock(gather_allocas(entry), "heddle.plain");
  llvm::BasicBlock* other = llvm::BasicBlock::Create(named.getContext(), "heddle.other", &named);
  go_on_in(named, other, board);
  llvm::Instruction* end = entry.getTerminator();
  llvm::IRBuilder<> at(end);
  llvm::MDNode* rarely = llvm::MDBuilder(named.getContext()).createBranchWeights(1, 1 << 20);
  const auto last = is_own_engine ? record::Mode::kEngine : record::Mode::kNative;  // that stays here
  llvm::Value* here = llvm::ConstantInt::get(abi.id_type, static_cast<std::uint32_t>(last));
  at.CreateCondBr(at.CreateICmpUGT(abi.mode(at), here), other, plain, rarely);
  end->eraseFromParent();
}

}  // namespace heddle::plugin
