// The body that logs a thread's path: a bit for each branch, in a register where the function has no calls,
// and in the thread's PathState (core/record/path_state.h) across them.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include "compiler/plugin/abi.h"
#include "core/record/path_ids.h"

namespace heddle::plugin {

// Functions of this module that have such a body, by what everybody else calls.
using PathBodies = llvm::DenseMap<const llvm::Function*, llvm::Function*>;

struct PathModule {
  std::uint64_t hash = 0;
  PathBodies bodies;
};

void make_path_body(llvm::Function& body, record::FunctionKey key, const PathModule& module, Abi& abi);

// Where the body is entered by who called the function by its name: on the way from the end of `from` to
// `to`, blocks of `board`, the log is told, unless the caller has announced it.
void add_path_entry(llvm::Function& board, llvm::BasicBlock* from, llvm::BasicBlock* to,
                    record::FunctionKey key, Abi& abi);

}  // namespace heddle::plugin
