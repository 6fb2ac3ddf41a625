// The bits of branches, switches and counted loops, added as late as they can be: one instruction for several
// of them.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include "compiler/plugin/path_code.h"
#include "compiler/plugin/path_plan.h"
#include "compiler/plugin/path_sites.h"

namespace heddle::plugin {

// What is still to be added before calls and ends of blocks, where code for other reasons comes first.
using LateBefore = llvm::DenseMap<const llvm::Instruction*, LateBits>;

LateBefore push_lazily(llvm::Function& body, const PathSites& sites, const PathPlan& plan,
                       const PathCode& code);

}  // namespace heddle::plugin
