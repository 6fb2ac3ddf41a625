// What identifies the control flow that the pass saw, so that a trace can be matched to a build: a hash of
// every function's graph, kept in the section `heddle_graph` of the binary, one entry for each module.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>

namespace heddle::plugin {

std::uint64_t graph_hash(const llvm::Module& module);

// Adds the module's entry.
void keep_graph_hash(llvm::Module& module, std::uint64_t hash);

}  // namespace heddle::plugin
