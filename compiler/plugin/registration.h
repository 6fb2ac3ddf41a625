// What a compiled module says of itself to the runtime and to the tool (core/record/build_version.h).
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::plugin {

// The version of what is compiled into it.
void keep_build_version(llvm::Module& module);

// Calls of the runtime before any constructor of the module, and after its destructors. `has_elements`: it
// has entries and groups of them (core/record/elements.h).
void register_with_runtime(llvm::Module& module, bool has_elements, bool all_static);

}  // namespace heddle::plugin
