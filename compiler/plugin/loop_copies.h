// Copies of loops without hooks, in a body that has hooks: where none of a loop's elements is chosen, the
// copy runs instead.
//
// Which elements are chosen does not change while the program runs. So a loop asks once, before it begins,
// and nothing is asked in it. Loops within loops ask for themselves: of a loop that takes a lock and then
// computes the computing part runs as it was written, though the lock is recorded.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>

namespace heddle::plugin {

using EntrySet = llvm::SmallSetVector<llvm::GlobalVariable*, 8>;

struct LoopCopying {
  // Elements that a block touches.
  llvm::function_ref<void(llvm::BasicBlock&, EntrySet&)> add_entries;
  // Is one of them chosen? As a value at that place.
  llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, const EntrySet&)> is_any_chosen;
};

// Of the loops among the blocks from `from` on; `whole`: the elements of all these blocks, which were asked
// for already. Blocks that are to stay as they are.
llvm::SmallPtrSet<llvm::BasicBlock*, 16> copy_loops(llvm::Function& body, llvm::BasicBlock& from,
                                                    const EntrySet& whole, const LoopCopying& copying);

}  // namespace heddle::plugin
