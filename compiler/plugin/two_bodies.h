// A second body for a function, taken when symbolic mode is on; the first one stays as it was.
//
// Both are in one function and share its frame, so that the program's own variables lie at the same addresses
// whichever of them runs: what an artifact recorded can be replayed symbolically. While symbolic mode is off,
// a call costs one test.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

#include "compiler/plugin/abi.h"

namespace heddle::plugin {

// Is it a function of the program, defined here?
bool is_looked_at(const llvm::Function& function);

// Can the function have a second body? Not where code takes the address of its blocks (label_addresses.h).
bool can_have_two_bodies(const llvm::Function& function);

// Static allocas must stay in the entry block to be part of the frame: moves them together at its beginning,
// and answers the place after them.
llvm::BasicBlock::iterator gather_allocas(llvm::BasicBlock& entry);

// The entry of the second body.
llvm::BasicBlock* add_second_body(llvm::Function& function, Abi& abi);

// A copy of the body in the same frame, taken when what `is_taken` computes at the function's entry is true.
// Its entry; all its blocks come after those that were there.
llvm::BasicBlock* add_copy_of_body(llvm::Function& function, const char* suffix,
                                   llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&)> is_taken);

}  // namespace heddle::plugin
