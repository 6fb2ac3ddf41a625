// The pass plugin behind `heddle c++ --full`: gives every function a second, symbolic body.
//
// It runs once, after all optimisation and before ThreadSanitizer's own pass (both at the same extension
// point, plugins first), so that what it adds survives, and both bodies get ThreadSanitizer's calls.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "compiler/plugin/abi.h"
#include "compiler/plugin/graph_hash.h"
#include "compiler/plugin/symbolic_body.h"
#include "compiler/plugin/two_bodies.h"

namespace heddle::plugin {
namespace {

struct SymbolicPass : llvm::PassInfoMixin<SymbolicPass> {
  // NOLINTNEXTLINE(readability-identifier-naming): LLVM's name
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    keep_graph_hash(module, graph_hash(module));
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : module) {
      if (can_have_two_bodies(function)) functions.push_back(&function);
    }
    if (functions.empty()) return llvm::PreservedAnalyses::none();
    Abi abi(module);
    for (llvm::Function* function : functions) make_symbolic(*function, add_second_body(*function, abi), abi);
    return llvm::PreservedAnalyses::none();
  }
};

void register_pass(llvm::PassBuilder& builder) {
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) { manager.addPass(SymbolicPass()); });
}

}  // namespace
}  // namespace heddle::plugin

extern "C" __attribute__((visibility("default"))) LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle", "1", heddle::plugin::register_pass};
}
