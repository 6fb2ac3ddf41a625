// How bodies that log paths call each other: the pending bits go along in a register, both ways.
//
// LLVM has one that fits, that of Swift's errors (r12 on x86-64): a parameter `swifterror` is no address but
// a value that the callee takes and returns there, beside all other arguments and results. Who throws or
// jumps is code of others, which bits are written to memory for; where control arrives they are read back.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace heddle::plugin {

// May it have one parameter more? Not where the number of arguments is open, or a tail call depends on it.
bool can_take_pending(const llvm::Function& function);

// A copy that has it.
llvm::Function* copy_that_takes_pending(llvm::Function& function);

// What a call gives for the parameter, and loads and stores refer to: the function's own parameter (the last
// one), or a new variable.
llvm::Value* pending_slot(llvm::Function& function);
bool takes_pending(const llvm::Function& body);

// Sets and gets what is in the slot.
void put_pending(llvm::IRBuilder<>& at, llvm::Value* slot, llvm::Value* bits);
llvm::Value* take_pending(llvm::IRBuilder<>& at, llvm::Value* slot);

// A call of `body` in place of `call`, which has the same arguments otherwise.
llvm::CallBase* replace_by_call_with_pending(llvm::CallBase& call, llvm::Function* body, llvm::Value* slot);

// Where `is_foretold` holds, which is known before an indirect call, the body that `body` computes is called
// in its place. Answers that call; it has no place number.
llvm::CallBase* call_foretold(llvm::CallBase& call, llvm::Value* slot, llvm::Value* is_foretold,
                              llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> body);

}  // namespace heddle::plugin
