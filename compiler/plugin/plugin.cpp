// The pass plugin behind `heddle c++ --full`: gives every function bodies for what can be done with it
// (bodies.h).
//
// It runs once, after all optimisation and before ThreadSanitizer's own pass (both at the same extension
// point, plugins first), so that what it adds survives, and the engine's bodies get ThreadSanitizer's calls.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "compiler/plugin/abi.h"
#include "compiler/plugin/bodies.h"
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
    for (llvm::Function* function : functions) add_bodies(*function, abi);
    return llvm::PreservedAnalyses::none();
  }

 private:
  static void add_bodies(llvm::Function& function, Abi& abi) {
    if (!can_be_split(function))
      return make_symbolic(function, function, add_second_body(function, abi), abi);
    const Bodies bodies = split(function, {});
    make_symbolic(*bodies.engine, function, add_second_body(*bodies.engine, abi), abi);
    connect(bodies, abi);
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
