#include "compiler/plugin/registration.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "core/record/build_version.h"

namespace heddle::plugin {
namespace {

using llvm::Constant;
using llvm::ConstantInt;
using llvm::GlobalVariable;

// The linker's symbol for where the module's section of that name begins or ends.
Constant* bound_of(llvm::Module& module, const char* bound, const char* section) {
  auto* symbol =
      new GlobalVariable(module, llvm::Type::getInt8Ty(module.getContext()), false,
                         llvm::GlobalValue::ExternalLinkage, nullptr, std::string(bound) + section);
  symbol->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return symbol;
}

// Sections without content have no bounds.
void keep_empty_group(llvm::Module& module) {
  llvm::Type* word = llvm::Type::getInt64Ty(module.getContext());
  auto* group = new GlobalVariable(module, word, false, llvm::GlobalValue::PrivateLinkage,
                                   ConstantInt::get(word, 0), "heddle.element_group");
  group->setSection(record::kElementGroupSection);
  group->setAlignment(llvm::Align(alignof(record::ElementGroup)));
  llvm::appendToUsed(module, {group});
}

GlobalVariable* make_tables(llvm::Module& module, bool has_elements, bool all_static) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  llvm::PointerType* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::StructType::get(context, {word, word, pointer, pointer, pointer, pointer});
  llvm::SmallVector<Constant*, 6> fields = {ConstantInt::get(word, record::kBuildVersion),
                                            ConstantInt::get(word, all_static ? 1 : 0)};
  for (const char* section : {record::kElementSection, record::kElementGroupSection}) {
    for (const char* bound : {"__start_", "__stop_"})
      fields.push_back(has_elements ? bound_of(module, bound, section)
                                    : llvm::ConstantPointerNull::get(pointer));
  }
  if (has_elements) keep_empty_group(module);
  return new GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                            llvm::ConstantStruct::get(type, fields), "heddle.tables");
}

llvm::Function* caller_of(llvm::Module& module, const char* name, const char* callee, Constant* argument) {
  llvm::Function* caller = llvm::createSanitizerCtor(module, name);
  llvm::IRBuilder<> at(caller->getEntryBlock().getTerminator());
  at.CreateCall(module.getOrInsertFunction(
                    callee, llvm::FunctionType::get(at.getVoidTy(), {argument->getType()}, false)),
                {argument});
  return caller;
}

}  // namespace

void keep_build_version(llvm::Module& module) {
  llvm::Type* word = llvm::Type::getInt64Ty(module.getContext());
  auto* kept = new GlobalVariable(module, word, true, llvm::GlobalValue::PrivateLinkage,
                                  ConstantInt::get(word, record::kBuildVersion), "heddle.build");
  kept->setSection(record::kBuildSection);
  kept->setAlignment(llvm::Align(8));
  llvm::appendToUsed(module, {kept});
}

void register_with_runtime(llvm::Module& module, bool has_elements, bool all_static) {
  GlobalVariable* tables = make_tables(module, has_elements, all_static);
  llvm::appendToGlobalCtors(module, caller_of(module, "heddle.register", "__heddle_register_module", tables),
                            1);
  llvm::appendToGlobalDtors(module, caller_of(module, "heddle.forget", "__heddle_forget_module", tables), 1);
}

}  // namespace heddle::plugin
