// The entry of the section `heddle_path` for a function (core/record/path_table.h).
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/plugin/path_loops.h"
#include "core/record/path_ids.h"

namespace heddle::plugin {

// `body`: the function's body for recording, before anything was added to it; the entry goes with it.
// `loops`: of this body. To be kept from the linker's collection of garbage by the
// caller (llvm.used).
llvm::GlobalValue* make_path_table(const llvm::Function& named, llvm::Function& body, const PathLoops& loops,
                                   std::uint64_t module_hash);

}  // namespace heddle::plugin
