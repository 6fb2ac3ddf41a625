#include "compiler/plugin/abi.h"

namespace heddle::plugin {

using llvm::Type;

Abi::Abi(llvm::Module& module) : module_(module) {
  llvm::LLVMContext& context = module.getContext();
  id_type = Type::getInt32Ty(context);
  value_type = Type::getInt64Ty(context);
  no_id = llvm::ConstantInt::get(id_type, 0);
  Type* const id = id_type;
  Type* const number = id_type;
  Type* const value = value_type;
  Type* const pointer_type = llvm::PointerType::getUnqual(context);
  Type* const nothing = Type::getVoidTy(context);

  load = declare("load", id, {pointer_type, value, number});
  store = declare("store", nothing, {pointer_type, value, number, id});
  wide_load = declare("wide_load", nothing, {pointer_type, value});
  wide_store = declare("wide_store", nothing, {pointer_type, value});
  update = declare("update", id, {pointer_type, number, number, value, value, id});
  compare_exchange =
      declare("compare_exchange", id, {pointer_type, number, value, id, value, id, value, number});
  copy = declare("copy", nothing, {pointer_type, pointer_type, value});
  fill = declare("fill", nothing, {pointer_type, value, id, value});
  pointer = declare("pointer", nothing, {id, value});
  binary = declare("binary", id, {number, number, id, value, id, value});
  resize = declare("resize", id, {number, number, number, id});
  select = declare("select", id, {number, id, value, id, value, id, value});
  branch = declare("branch", nothing, {id, number, value});
  spared = declare("spared", nothing, {id, number, value});
  doomed = declare("doomed", nothing, {id, number, value});
  switch_on = declare("switch", nothing, {id, value, pointer_type, pointer_type, number, number, value});
  target = declare("target", nothing, {id, value, value});
  concretised = declare("concretised", nothing, {id, value});
  call = declare("call", nothing, {pointer_type});
  argument = declare("argument", nothing, {number, id, value});
  by_value = declare("by_value", nothing, {number, pointer_type});
  take_by_value = declare("take_by_value", nothing, {number, pointer_type, value});
  entered = declare("entered", nothing, {pointer_type});
  parameter = declare("parameter", id, {number, value});
  returns = declare("returns", nothing, {pointer_type});
  result = declare("result", nothing, {number, id, value});
  returned = declare("returned", nothing, {pointer_type});
  result_of = declare("result_of", id, {number, value});
  call_ended = declare("call_ended", nothing, {pointer_type});
  compared = declare("compared", nothing, {pointer_type, pointer_type, value});
  strings_compared = declare("strings_compared", nothing, {pointer_type, pointer_type, value});
  scanned = declare("scanned", nothing, {pointer_type, value, number});
  path_mark = declare("path_mark", nothing, {pointer_type, value, number});
  path_entered = declare("path_entered", nothing, {value, pointer_type, pointer_type});
  path_untaken = declare("path_untaken", nothing, {});
  path_full = declare("path_full", nothing, {});
  path_rounds = declare("path_rounds", nothing, {value});
  for (llvm::FunctionCallee callee : {path_full, path_rounds}) {
    auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee());
    if (function == nullptr) continue;
    function->setCallingConv(llvm::CallingConv::PreserveAll);
    function->addFnAttr(llvm::Attribute::NonLazyBind);  // the loader's own code keeps less than that
  }
  step = declare("step", nothing, {value, number, value});
  step_switch = declare("step_switch", nothing, {value, value, pointer_type, pointer_type, number, number});
  step_call = declare("step_call", nothing, {value});
  step_entered = declare("step_entered", nothing, {value});
  step_returned = declare("step_returned", nothing, {});
}

llvm::FunctionCallee Abi::declare(const char* name, Type* answer, std::initializer_list<Type*> parameters) {
  const std::string symbol = std::string("__heddle_") + name;
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(symbol, llvm::FunctionType::get(answer, parameters, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) function->setDoesNotThrow();
  return callee;
}

llvm::Value* Abi::read(llvm::IRBuilder<>& at, const char* variable) {
  llvm::Constant* global = module_.getOrInsertGlobal(variable, id_type);
  llvm::LoadInst* loaded = at.CreateLoad(id_type, global);
  // Not an access of the program.
  loaded->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(module_.getContext(), {}));
  return loaded;
}

llvm::Value* Abi::mode(llvm::IRBuilder<>& at) { return read(at, "__heddle_mode"); }

llvm::Value* Abi::is_symbolic_mode(llvm::IRBuilder<>& at) {
  return at.CreateICmpNE(read(at, "__heddle_symbolic_mode"), no_id);
}
llvm::Value* Abi::is_handing_over(llvm::IRBuilder<>& at) {
  return at.CreateICmpNE(read(at, "__heddle_handing_over"), no_id);
}

llvm::Value* Abi::is_path_trace(llvm::IRBuilder<>& at) {
  return at.CreateICmpNE(read(at, "__heddle_path_trace"), no_id);
}

llvm::Value* Abi::path_state(llvm::IRBuilder<>& at) {
  llvm::Type* pointer_type = llvm::PointerType::getUnqual(module_.getContext());
  constexpr const char* kName = "__heddle_path";
  auto* variable = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(kName, pointer_type, [&] {
    return new llvm::GlobalVariable(module_, pointer_type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                    kName, nullptr, llvm::GlobalValue::InitialExecTLSModel);
  }));
  return at.CreateLoad(pointer_type, at.CreateThreadLocalAddress(variable));
}

}  // namespace heddle::plugin
