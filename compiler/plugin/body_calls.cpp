// Calls: ids of arguments and results go through slots of the runtime, with the callee's address, so that a
// callee that was not compiled by this pass, or one that unwinds, leaves nothing behind for another.
#include <llvm/ADT/StringSwitch.h>

#include "compiler/plugin/body_builder.h"
#include "compiler/plugin/path_numbers.h"
#include "core/trace/symbolic_calls.h"

namespace heddle::plugin {

using llvm::Value;

void BodyBuilder::take_parameters(llvm::BasicBlock* entry) {
  if (key_ != record::kNoFunction) {
    llvm::Instruction* begin = &*entry->getFirstInsertionPt();
    step(begin, begin->getDebugLoc(),
         [&](Builder& at) { at.CreateCall(abi_.step_entered, {word(static_cast<std::uint64_t>(key_))}); });
  }
  struct Parameter {
    llvm::Argument* argument;
    Leaves leaves;
  };
  std::vector<Parameter> parameters;
  for (llvm::Argument& argument : function_.args()) {
    Leaves leaves = leaves_of(argument.getType(), layout_);
    if (!leaves.empty()) parameters.push_back({&argument, std::move(leaves)});
  }
  if (parameters.empty()) return;
  llvm::Instruction* first = &*entry->getFirstInsertionPt();
  Builder before(first);
  const Ids taken = when(abi_.is_handing_over(before), first, first->getDebugLoc(), [&](Builder& at) {
    at.CreateCall(abi_.entered, {&named_});
    Ids ids;
    for (const Parameter& parameter : parameters) {
      if (llvm::Type* copied = parameter.argument->getParamByValType())
        at.CreateCall(abi_.take_by_value,
                      {number(ids.size()), parameter.argument, word(layout_.getTypeStoreSize(copied))});
      for (const Leaf& leaf : parameter.leaves)
        ids.push_back(
            at.CreateCall(abi_.parameter, {number(ids.size()), leaf_value(at, parameter.argument, leaf)}));
    }
    return ids;
  });
  std::size_t next = 0;
  for (const Parameter& parameter : parameters) {
    Ids& ids = ids_[parameter.argument];
    for (std::size_t i = 0; i < parameter.leaves.size(); ++i) ids.push_back(taken[next++]);
  }
}

// Where the call has returned. REQUIRES: an invoke's edge is its own (prepare_edges).
llvm::Instruction* BodyBuilder::after(llvm::CallBase& call) const {
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call))
    return &*invoke->getNormalDest()->getFirstInsertionPt();
  return call.getNextNode();
}

void BodyBuilder::visit_call(llvm::CallBase& call) {
  if (call.isInlineAsm()) return concretise(call);
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(intrinsic)) return visit_memory_intrinsic(*memory);
    if (intrinsic->isAssumeLikeIntrinsic() && intrinsic->getType()->isVoidTy()) return;
    if (!visit_arithmetic_intrinsic(*intrinsic)) concretise(call);
    return;
  }
  if (visit_library_call(call)) return;
  visit_any_call(call);
}

// Functions of libc that look at memory. What they decide by the bytes that they see are conditions of the
// path, as if they had been compiled by this pass.
bool BodyBuilder::visit_library_call(llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return false;
  enum class Model { kNone, kCopy, kFill, kCompare, kCompareStrings, kLength, kSearch };
  const Model model = llvm::StringSwitch<Model>(callee->getName())
                          .Cases("memcpy", "memmove", "mempcpy", Model::kCopy)
                          .Case("memset", Model::kFill)
                          .Cases("memcmp", "bcmp", Model::kCompare)
                          .Cases("strcmp", "strncmp", Model::kCompareStrings)
                          .Case("strlen", Model::kLength)
                          .Case("memchr", Model::kSearch)
                          .Default(Model::kNone);
  const unsigned count = model == Model::kLength ? 1 : callee->getName() == "strcmp" ? 2 : 3;
  if (model == Model::kNone || call.arg_size() != count) return false;
  for (Value* argument : call.args()) {
    if (model != Model::kFill || argument != call.getArgOperand(1))
      concretise(argument, &call, call.getDebugLoc());
  }
  Builder at(after(call));
  at.SetCurrentDebugLocation(call.getDebugLoc());
  Value* first = call.getArgOperand(0);
  const auto bytes = [&](unsigned index) { return as_value(at, call.getArgOperand(index)); };
  switch (model) {
    case Model::kCopy:
      at.CreateCall(abi_.copy, {first, call.getArgOperand(1), bytes(2)});
      break;
    case Model::kFill: {
      Value* byte = call.getArgOperand(1);
      Value* id = fit(at, id_of(byte), scalar_bits(byte->getType()), 8, false);
      at.CreateCall(abi_.fill, {first, at.CreateAnd(as_value(at, byte), word(0xff)), id, bytes(2)});
      break;
    }
    case Model::kCompare:
      at.CreateCall(abi_.compared, {first, call.getArgOperand(1), bytes(2)});
      break;
    case Model::kCompareStrings:
      at.CreateCall(abi_.strings_compared,
                    {first, call.getArgOperand(1), count == 3 ? bytes(2) : word(~0ull)});
      break;
    case Model::kLength:
      at.CreateCall(abi_.scanned,
                    {first, at.CreateAdd(as_value(at, &call), word(1)), number(symbolic::kByteFound)});
      break;
    case Model::kSearch: {
      Value* found = at.CreateICmpNE(as_value(at, &call), word(0));
      Value* looked_at = at.CreateSelect(
          found, at.CreateAdd(at.CreateSub(as_value(at, &call), as_value(at, first)), word(1)), bytes(2));
      Value* byte = at.CreateAnd(at.CreateTrunc(bytes(1), abi_.id_type), number(0xff));
      Value* what = at.CreateOr(byte, at.CreateSelect(found, number(symbolic::kByteFound), number(0)));
      at.CreateCall(abi_.scanned, {first, looked_at, what});
      break;
    }
    case Model::kNone:
      break;
  }
  return true;
}

void BodyBuilder::visit_any_call(llvm::CallBase& call) {
  Value* callee = call.getCalledOperand();
  const llvm::DebugLoc place = call.getDebugLoc();
  const std::uint64_t id = is_indirect(call) ? place_of(call) : 0;
  when_symbolic({id_of(callee)}, &call, place, [&](Builder& at) {
    at.CreateCall(abi_.target, {id_of(callee), as_value(at, callee), word(id)});
    return Ids{};
  });
  struct Argument {
    Value* value;
    Leaf leaf;
    Value* id;
    std::size_t index;
  };
  std::vector<Argument> arguments;
  std::vector<std::pair<std::size_t, Value*>> copied;  // structures that are passed by value, in memory
  Ids ids;
  std::size_t index = 0;
  for (unsigned position = 0; position < call.arg_size(); ++position) {
    Value* value = call.getArgOperand(position);
    const Leaves leaves = leaves_of(value->getType(), layout_);
    const Ids known = ids_of(value);
    if (call.isByValArgument(position)) copied.emplace_back(index, value);
    for (std::size_t i = 0; i < leaves.size(); ++i, ++index) {
      if (is_known_concrete(known[i])) continue;
      arguments.push_back({value, leaves[i], known[i], index});
      ids.push_back(known[i]);
    }
  }
  const bool is_tail = call.isMustTailCall();
  Builder before(&call);
  before.SetCurrentDebugLocation(place);
  Value* any = any_symbolic(before, ids);
  if (!copied.empty()) any = before.getTrue();  // whether they hold expressions, only the runtime knows
  if (any != nullptr) {
    when(any, &call, place, [&](Builder& at) {
      at.CreateCall(abi_.call, {callee});
      for (const auto& [leaf, from] : copied) at.CreateCall(abi_.by_value, {number(leaf), from});
      for (const Argument& a : arguments)
        at.CreateCall(abi_.argument, {number(a.index), a.id, leaf_value(at, a.value, a.leaf)});
      return Ids{};
    });
    if (!is_tail && !call.doesNotReturn()) {
      when(any, after(call), place, [&](Builder& at) {
        at.CreateCall(abi_.call_ended, {callee});
        return Ids{};
      });
    }
  }
  if (!is_tail) take_result(call);
  if (id == 0) return;
  step(&call, place, [&](Builder& at) { at.CreateCall(abi_.step_call, {word(id)}); });
  if (is_tail || call.doesNotReturn()) return;
  step(after(call), place, [&](Builder& at) { at.CreateCall(abi_.step_returned, {}); });
}

void BodyBuilder::take_result(llvm::CallBase& call) {
  const Leaves leaves = leaves_of(call.getType(), layout_);
  if (leaves.empty() || call.use_empty()) return;
  llvm::Instruction* next = after(call);
  Builder before(next);
  before.SetCurrentDebugLocation(call.getDebugLoc());
  ids_[&call] = when(abi_.is_handing_over(before), next, call.getDebugLoc(), [&](Builder& at) {
    at.CreateCall(abi_.returned, {call.getCalledOperand()});
    Ids taken;
    for (const Leaf& leaf : leaves)
      taken.push_back(at.CreateCall(abi_.result_of, {number(taken.size()), leaf_value(at, &call, leaf)}));
    return taken;
  });
}

}  // namespace heddle::plugin
