// The second ABI, __heddle_*, as a compiled module calls it (runtime/abi/heddle/symbolic_calls.cpp defines it).
//
// An id (i32) stands for an expression of core/trace/symbolic.h; 0 is a value that depends on no symbol.
// Values travel as i64, zero-extended.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <initializer_list>

namespace heddle::plugin {

class Abi {
 public:
  explicit Abi(llvm::Module& module);

  llvm::IntegerType* id_type;
  llvm::IntegerType* value_type;
  llvm::ConstantInt* no_id;

  // Variables of the runtime. mode: core/record/modes.h; symbolic_mode: run the symbolic bodies;
  // handing_over: arguments or a result of some call may be waiting to be taken.
  llvm::Value* mode(llvm::IRBuilder<>& at);
  llvm::Value* is_symbolic_mode(llvm::IRBuilder<>& at);
  llvm::Value* is_handing_over(llvm::IRBuilder<>& at);
  // path_trace: the symbolic bodies tell every step; path_state: the running thread's
  // (core/record/path_state.h).
  llvm::Value* is_path_trace(llvm::IRBuilder<>& at);
  llvm::Value* path_state(llvm::IRBuilder<>& at);

  // Memory; after the access.
  llvm::FunctionCallee load, store, wide_load, wide_store, update, compare_exchange, copy, fill;
  llvm::FunctionCallee pointer;  // before it: its address depends on symbols
  // Expressions.
  llvm::FunctionCallee binary, resize, select;
  // Control.
  llvm::FunctionCallee branch, spared, doomed, switch_on, target, concretised;
  // Calls: what the caller hands over and the callee takes, and back.
  llvm::FunctionCallee call, argument, by_value, entered, parameter, take_by_value, returns, result, returned,
      result_of, call_ended;
  // What functions of libc have looked at.
  llvm::FunctionCallee compared, strings_compared, scanned;
  // Paths in bodies for recording.
  llvm::FunctionCallee path_mark, path_entered, path_untaken, path_full, path_rounds;
  // Paths in symbolic bodies.
  llvm::FunctionCallee step, step_switch, step_call, step_entered, step_returned;

 private:
  llvm::FunctionCallee declare(const char* name, llvm::Type* answer,
                               std::initializer_list<llvm::Type*> parameters);
  llvm::Value* read(llvm::IRBuilder<>& at, const char* variable);

  llvm::Module& module_;
};

}  // namespace heddle::plugin
