// The symbolic body of a function: beside each value the id of the expression behind it
// (core/trace/symbolic.h).
//
// In the manner of SymCC (Poeplau and Francillon, "Symbolic execution with SymCC", USENIX Security 2020): ids
// live in registers, and the runtime is called for an operation only where an operand has one. Memory, calls,
// branches and what cannot be expressed go through the runtime.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/plugin/abi.h"
#include "core/record/path_ids.h"

namespace heddle::plugin {

// `entry`: where the body begins; its blocks are those that can be reached from there. `named`: what callers
// know the function by, which may be another one than holds the body. `key`: its
// own, if its places are numbered (path_numbers.h).
void make_symbolic(llvm::Function& function, llvm::Function& named, record::FunctionKey key,
                   llvm::BasicBlock* entry, Abi& abi);

}  // namespace heddle::plugin
