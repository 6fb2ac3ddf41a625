#include "compiler/plugin/path_calls.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/plugin/path_numbers.h"

namespace heddle::plugin {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::Function;
using llvm::Value;

namespace {

llvm::Type* slot_type(const llvm::LLVMContext& context) {
  return llvm::PointerType::getUnqual(const_cast<llvm::LLVMContext&>(context));
}

llvm::FunctionType* with_slot(const llvm::FunctionType& type) {
  llvm::SmallVector<llvm::Type*, 8> parameters(type.param_begin(), type.param_end());
  parameters.push_back(slot_type(type.getContext()));
  return llvm::FunctionType::get(type.getReturnType(), parameters, false);
}

// Of what the plain callee does.
constexpr llvm::Attribute::AttrKind kEffects[] = {llvm::Attribute::Memory, llvm::Attribute::NoSync,
                                                  llvm::Attribute::NoCallback};

// In `to`, what comes from `known` comes from `also` as well; `result`, as `own`.
void add_predecessor(BasicBlock& to, BasicBlock* known, BasicBlock* also, Value* result, Value* own) {
  for (llvm::PHINode& phi : to.phis()) {
    Value* value = phi.getIncomingValueForBlock(known);
    phi.addIncoming(value == result ? own : value, also);
  }
}

// `result` on one way, `own` on the other: what comes after sees either.
void join_results(CallBase& result, Value* own, BasicBlock* joined, BasicBlock* from_result,
                  BasicBlock* from_own) {
  if (result.getType()->isVoidTy()) return;
  llvm::PHINode* phi = llvm::PHINode::Create(result.getType(), 2, "", joined->begin());
  result.replaceUsesWithIf(phi, [&](const llvm::Use& use) {
    const auto* other = llvm::dyn_cast<llvm::PHINode>(use.getUser());
    return other == nullptr || other->getParent() != joined;
  });
  phi->addIncoming(&result, from_result);
  phi->addIncoming(own, from_own);
}

// `call` with another callee and one more argument, `slot`; `where`: the instruction that it comes before, or the
// block that it ends.
CallBase* call_with_pending(CallBase& call, Value* callee, Value* slot, llvm::InsertPosition where) {
  llvm::LLVMContext& context = call.getContext();
  llvm::SmallVector<Value*, 8> arguments(call.args());
  arguments.push_back(slot);
  llvm::SmallVector<llvm::OperandBundleDef, 1> bundles;
  call.getOperandBundlesAsDefs(bundles);
  llvm::FunctionType* type = with_slot(*call.getFunctionType());
  CallBase* own = nullptr;
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
    own = llvm::InvokeInst::Create(type, callee, invoke->getNormalDest(), invoke->getUnwindDest(), arguments,
                                   bundles, "", where);
  } else {
    own = llvm::CallInst::Create(type, callee, arguments, bundles, "", where);
  }
  own->setCallingConv(call.getCallingConv());
  llvm::AttributeList attributes = call.getAttributes().addParamAttribute(
      context, {call.arg_size()}, llvm::Attribute::get(context, llvm::Attribute::SwiftError));
  for (const auto kind : kEffects) attributes = attributes.removeFnAttribute(context, kind);
  own->setAttributes(attributes);
  own->copyMetadata(call);
  own->setDebugLoc(call.getDebugLoc());
  return own;
}

}  // namespace

bool can_take_pending(const Function& function) {
  if (function.isVarArg()) return false;
  for (const BasicBlock& block : function) {
    if (block.getTerminatingMustTailCall() != nullptr) return false;
  }
  return true;
}

Function* copy_that_takes_pending(Function& function) {
  Function* copy = Function::Create(with_slot(*function.getFunctionType()), function.getLinkage(),
                                    function.getAddressSpace(), function.getName(), function.getParent());
  copy->setIsNewDbgInfoFormat(function.IsNewDbgInfoFormat);
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& argument : function.args()) {
    llvm::Argument* own = copy->getArg(argument.getArgNo());
    own->setName(argument.getName());
    map[&argument] = own;
  }
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::CloneFunctionInto(copy, &function, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  copy->addParamAttr(copy->arg_size() - 1, llvm::Attribute::SwiftError);
  return copy;
}

bool takes_pending(const Function& body) {
  return body.arg_size() != 0 && body.getArg(body.arg_size() - 1)->hasSwiftErrorAttr();
}

Value* pending_slot(Function& function) {
  if (takes_pending(function)) return function.getArg(function.arg_size() - 1);
  BasicBlock& entry = function.getEntryBlock();
  llvm::AllocaInst* slot =
      llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(slot_type(function.getContext()));
  slot->setSwiftError(true);
  return slot;
}

void put_pending(llvm::IRBuilder<>& at, Value* slot, Value* bits) {
  at.CreateStore(at.CreateIntToPtr(bits, slot_type(at.getContext())), slot);
}

Value* take_pending(llvm::IRBuilder<>& at, Value* slot) {
  return at.CreatePtrToInt(at.CreateLoad(slot_type(at.getContext()), slot), at.getInt64Ty());
}

CallBase* replace_by_call_with_pending(CallBase& call, Function* body, Value* slot) {
  CallBase* own = call_with_pending(call, body, slot, call.getIterator());
  own->setCallingConv(body->getCallingConv());
  call.replaceAllUsesWith(own);
  call.eraseFromParent();
  return own;
}

CallBase* call_foretold(CallBase& call, Value* slot, Value* is_foretold,
                        llvm::function_ref<Value*(llvm::IRBuilder<>&)> body) {
  auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  if (invoke == nullptr) {
    llvm::Instruction* foretold = nullptr;
    llvm::Instruction* other = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(is_foretold, call.getIterator(), &foretold, &other);
    llvm::IRBuilder<> at(foretold);
    Value* callee = body(at);
    CallBase* own = call_with_pending(call, callee, slot, foretold->getIterator());
    BasicBlock* joined = call.getParent();
    call.moveBefore(other);
    join_results(call, own, joined, other->getParent(), foretold->getParent());
    forget_place(*own);
    return own;
  }
  // (What comes after a normal return is reached from there alone.)
  if (invoke->getNormalDest()->getSinglePredecessor() == nullptr)
    llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest());
  BasicBlock* head = invoke->getParent();
  BasicBlock* other = llvm::SplitBlock(head, invoke);
  BasicBlock* foretold = BasicBlock::Create(call.getContext(), "heddle.foretold", call.getFunction(), other);
  llvm::IRBuilder<> at(foretold);
  Value* callee = body(at);
  CallBase* own = call_with_pending(call, callee, slot, foretold);
  add_predecessor(*invoke->getUnwindDest(), other, foretold, nullptr, nullptr);
  add_predecessor(*invoke->getNormalDest(), other, foretold, invoke, own);
  join_results(call, own, invoke->getNormalDest(), other, foretold);
  llvm::Instruction* end = head->getTerminator();
  llvm::BranchInst::Create(foretold, other, is_foretold, end->getIterator());
  end->eraseFromParent();
  forget_place(*own);
  return own;
}

}  // namespace heddle::plugin
