// Computed goto, as a switch: labels whose address is taken (`&&label`) are numbered, from 1 in each
// function, their addresses become these numbers wherever the module has them, and `goto *address` becomes a
// switch. All bodies of a function then mean the same by a label, and the path through it can be logged and
// reasoned about like any other.
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::plugin {

// Leaves a function as it is where assembly is told a label's address: that has to be one.
void number_labels(llvm::Function& function);

}  // namespace heddle::plugin
