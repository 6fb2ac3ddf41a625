// Numbers of the places where a thread's path is decided: branches, switches, indirect calls, landing pads,
// returns of setjmp. They are kept with the instructions, so that every copy of a function has the same ones.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "core/record/path_ids.h"

namespace heddle::plugin {

// `module_hash` tells local functions of one name apart.
record::FunctionKey key_of(const llvm::Function& function, std::uint64_t module_hash);

// False if there are more than there are numbers; then none has one.
bool number_places(llvm::Function& function);

std::optional<std::uint32_t> place_number(const llvm::Instruction& instruction);
void forget_place(llvm::Instruction& instruction);
record::StepKind step_kind(const llvm::Instruction& instruction);

// A call of something that no symbol names.
bool is_indirect(const llvm::CallBase& call);
// A call that may lead to other code of the program, or out of it: no intrinsic, no assembly.
bool is_real_call(const llvm::Instruction& instruction);
// A call of a function of libc that comes back from wherever it is called, and calls nobody.
bool always_returns(const llvm::CallBase& call);
// The function that is called, casts apart; nullptr if that is not known.
llvm::Function* callee_of(const llvm::CallBase& call);

// The different blocks that a switch or branch leads to, in the order in which they come first; without a
// default that is never taken.
llvm::SmallVector<llvm::BasicBlock*, 8> different_successors(const llvm::Instruction& terminator);

}  // namespace heddle::plugin
