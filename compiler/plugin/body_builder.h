// Adds the calls of the second ABI to one symbolic body. make_symbolic() uses it; the parts are in
// body_builder.cpp (the walk and what all share), body_values.cpp (expressions), body_memory.cpp,
// body_control.cpp and body_calls.cpp.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/plugin/abi.h"
#include "compiler/plugin/leaves.h"
#include "core/record/path_ids.h"
#include "core/trace/symbolic.h"

namespace heddle::plugin {

using Ids = llvm::SmallVector<llvm::Value*, 2>;

class BodyBuilder {
 public:
  BodyBuilder(llvm::Function& function, llvm::Function& named, record::FunctionKey key, Abi& abi);
  void build(llvm::BasicBlock* entry);

 private:
  using Builder = llvm::IRBuilder<>;

  // --- ids
  Ids ids_of(llvm::Value* value) const;           // one for each leaf
  llvm::Value* id_of(llvm::Value* scalar) const;  // no_id where no expression can stand for it
  void set_id(llvm::Value* value, llvm::Value* id) { ids_[value] = Ids{id}; }
  bool is_known_concrete(llvm::Value* id) const { return id == abi_.no_id; }
  // A scalar as the ABI passes it.
  llvm::Value* as_value(Builder& at, llvm::Value* scalar) const;
  llvm::Value* leaf_value(Builder& at, llvm::Value* value, const Leaf& leaf) const;
  llvm::Value* number(std::uint64_t n) const { return llvm::ConstantInt::get(abi_.id_type, n); }
  llvm::Value* word(std::uint64_t n) const { return llvm::ConstantInt::get(abi_.value_type, n); }
  // Is any of these an expression? nullptr: certainly not.
  llvm::Value* any_symbolic(Builder& at, llvm::ArrayRef<llvm::Value*> ids) const;
  // Runs what `emit` emits, before `before`, only where `condition` holds; the ids that it answers, or no_id.
  using Emit = llvm::function_ref<Ids(Builder&)>;
  Ids when(llvm::Value* condition, llvm::Instruction* before, const llvm::DebugLoc& place, Emit emit) const;
  // Does so where one of `ids` is an expression.
  Ids when_symbolic(llvm::ArrayRef<llvm::Value*> ids, llvm::Instruction* before, const llvm::DebugLoc& place,
                    Emit emit) const;

  // --- the walk
  void prepare_edges(llvm::ArrayRef<llvm::BasicBlock*> blocks);
  void find_doomed(llvm::ArrayRef<llvm::BasicBlock*> blocks);
  void add_phis(llvm::BasicBlock& block);
  void complete_phis();
  void visit(llvm::Instruction& instruction);
  void concretise(llvm::Instruction& instruction);
  void concretise(llvm::Value* value, llvm::Instruction* before, const llvm::DebugLoc& place);

  // --- expressions
  llvm::Value* binary(Builder& at, symbolic::Operator op, unsigned bits, llvm::Value* a, llvm::Value* a_value,
                      llvm::Value* b, llvm::Value* b_value) const;
  llvm::Value* resize(Builder& at, symbolic::Operator op, unsigned bits, unsigned low, llvm::Value* id) const;
  // bits of `from` to bits of `to`, sign-extended or not.
  llvm::Value* fit(Builder& at, llvm::Value* id, unsigned from, unsigned to, bool is_signed) const;
  void visit_binary(llvm::Instruction& instruction, symbolic::Operator op);
  void visit_compare(llvm::ICmpInst& compare);
  void visit_cast(llvm::Instruction& instruction);
  void visit_select(llvm::SelectInst& select);
  void visit_address(llvm::GetElementPtrInst& address);
  void visit_extract(llvm::ExtractValueInst& extract);
  void visit_insert(llvm::InsertValueInst& insert);
  bool visit_arithmetic_intrinsic(llvm::IntrinsicInst& call);
  void visit_min_max(llvm::IntrinsicInst& call, symbolic::Operator less, bool takes_less);
  void visit_overflow(llvm::IntrinsicInst& call, symbolic::Operator op, bool is_signed);

  // --- memory
  void note_pointer(llvm::Value* pointer, llvm::Instruction& access);
  void visit_load(llvm::LoadInst& load);
  void visit_store(llvm::StoreInst& store);
  void visit_update(llvm::AtomicRMWInst& update);
  void visit_compare_exchange(llvm::AtomicCmpXchgInst& exchange);
  void visit_memory_intrinsic(llvm::MemIntrinsic& call);

  // --- control
  void visit_branch(llvm::BranchInst& branch);
  void visit_switch(llvm::SwitchInst& on);
  void visit_return(llvm::ReturnInst& end);
  void visit_landing(llvm::LandingPadInst& landing);
  // The place that an instruction has in paths, 0 for none; and what is told of it where paths are asked for.
  std::uint64_t place_of(const llvm::Instruction& instruction) const;
  using Tell = llvm::function_ref<void(Builder&)>;
  void step(llvm::Instruction* before, const llvm::DebugLoc& place, Tell tell) const;
  llvm::Constant* table(llvm::Constant* entries) const;
  llvm::BasicBlock* own_edge(llvm::BasicBlock* from, llvm::BasicBlock* to);

  // --- calls
  void take_parameters(llvm::BasicBlock* entry);
  void visit_call(llvm::CallBase& call);
  bool visit_library_call(llvm::CallBase& call);
  void visit_any_call(llvm::CallBase& call);
  void take_result(llvm::CallBase& call);
  llvm::Instruction* after(llvm::CallBase& call) const;

  llvm::Function& function_;
  llvm::Function& named_;
  record::FunctionKey key_;
  Abi& abi_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, Ids> ids_;
  llvm::SmallVector<llvm::PHINode*, 16> phis_;      // of the program
  llvm::DenseSet<const llvm::BasicBlock*> doomed_;  // they end in code that does not return
};

}  // namespace heddle::plugin
