// The body that logs a thread's path: a bit for each branch, in a register that bodies hand to each other
// (path_calls.h), and in the thread's PathState (core/record/path_state.h) while other code runs.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include "compiler/plugin/abi.h"
#include "compiler/plugin/path_loops.h"
#include "core/record/path_ids.h"

namespace heddle::plugin {

// Functions of this module that have such a body, by what everybody else calls.
using PathBodies = llvm::DenseMap<const llvm::Function*, llvm::Function*>;

struct PathModule {
  std::uint64_t hash = 0;
  PathBodies bodies;
};

// `loops`: of this body.
void make_path_body(llvm::Function& body, record::FunctionKey key, PathLoops loops, const PathModule& module,
                    Abi& abi);

// Where the body is entered by who called the function by its name: on the way from the end of `from` to
// `to`, blocks of one function, the log is told, unless the caller has announced it.
struct PathEntry {
  record::FunctionKey key;
  llvm::Function* named;
  llvm::Function* body;
};
void add_path_entry(llvm::BasicBlock* from, llvm::BasicBlock* to, const PathEntry& entry, Abi& abi);

}  // namespace heddle::plugin
