// The pass plugin behind `heddle c++ --full`: gives every function bodies for what can be done with it
// (bodies.h).
//
// It runs once, after all optimisation and before ThreadSanitizer's own pass (both at the same extension
// point, plugins first), so that what it adds survives, and the engine's bodies get ThreadSanitizer's calls.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/plugin/abi.h"
#include "compiler/plugin/bodies.h"
#include "compiler/plugin/element_hooks.h"
#include "compiler/plugin/elements.h"
#include "compiler/plugin/graph_hash.h"
#include "compiler/plugin/label_addresses.h"
#include "compiler/plugin/path_body.h"
#include "compiler/plugin/path_loops.h"
#include "compiler/plugin/path_numbers.h"
#include "compiler/plugin/path_table.h"
#include "compiler/plugin/registration.h"
#include "compiler/plugin/symbolic_body.h"
#include "compiler/plugin/two_bodies.h"

namespace heddle::plugin {
namespace {

struct SymbolicPass : llvm::PassInfoMixin<SymbolicPass> {
  // NOLINTNEXTLINE(readability-identifier-naming): LLVM's name
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
    for (llvm::Function& function : module) {
      if (is_looked_at(function)) number_labels(function);
    }
    PathModule paths;
    paths.hash = graph_hash(module);
    keep_graph_hash(module, paths.hash);
    keep_build_version(module);
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : module) {
      if (can_have_two_bodies(function)) functions.push_back(&function);
    }
    if (functions.empty()) return llvm::PreservedAnalyses::none();
    Abi abi(module);
    Elements elements(module);
    for (llvm::Function* function : functions) elements.find(*function);
    elements.keep_table();
    std::vector<Bodies> split_ones;
    for (llvm::Function* function : functions) split_ones.push_back(split_with_recordings(*function, paths));
    call_directly(split_ones, record::Mode::kElements);
    llvm::SmallVector<llvm::GlobalValue*, 32> tables;
    auto& of_functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    for (const Bodies& bodies : split_ones) {
      if (llvm::Function* body = bodies.recording(record::Mode::kPath)) {
        PathLoops loops = path_loops(of_functions.getResult<llvm::LoopAnalysis>(*body),
                                     of_functions.getResult<llvm::ScalarEvolutionAnalysis>(*body),
                                     of_functions.getResult<llvm::BranchProbabilityAnalysis>(*body));
        tables.push_back(make_path_table(*bodies.named, *body, loops, paths.hash));
        make_path_body(*body, bodies.key, std::move(loops), paths, abi);
      }
      if (llvm::Function* body = bodies.recording(record::Mode::kElements)) record_elements(*body, elements);
      announce_elements(*bodies.engine, elements);
      make_symbolic(*bodies.engine, *bodies.named, bodies.key, add_second_body(*bodies.engine, abi), abi);
      connect(bodies, abi);
    }
    llvm::appendToUsed(module, tables);
    return llvm::PreservedAnalyses::none();
  }

 private:
  // Names and numbers first, so that all copies have them.
  static Bodies split_with_recordings(llvm::Function& function, PathModule& paths) {
    const bool is_recorded = can_be_recorded(function);
    const bool has_path = is_recorded && number_places(function);
    llvm::SmallVector<record::Mode, 2> recordings;
    if (has_path) recordings.push_back(record::Mode::kPath);
    if (is_recorded) recordings.push_back(record::Mode::kElements);
    Bodies bodies = split(function, recordings);
    if (has_path) {
      bodies.key = key_of(function, paths.hash);
      paths.bodies[&function] = bodies.recording(record::Mode::kPath);
    }
    return bodies;
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
