#include "compiler/plugin/path_numbers.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace heddle::plugin {
namespace {

using llvm::Instruction;

constexpr const char* kPlace = "heddle.place";
// Of a switch whose cases are all there are: it is kept, as edges get blocks of their own in some copies.
constexpr const char* kNoDefault = "heddle.no_default";
// More than a word of the log holds would not be worth its room: nobody writes such a switch.
constexpr std::size_t kMostSuccessors = 1u << 12;

// A program that defines one of them itself has no log of what it does there.
constexpr llvm::StringLiteral kAlwaysReturn[] = {
    "bcmp",   "memchr",  "memcmp",  "memcpy",  "memmove", "memset", "strchr", "strcmp",
    "strlen", "strncmp", "strnlen", "strrchr", "cos",     "exp",    "floor",  "fmod",
    "log",    "pow",     "sin",     "sqrt",    "toupper", "tolower"};

bool is_place(const Instruction& instruction) {
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction))
    return branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1);
  if (llvm::isa<llvm::SwitchInst>(instruction)) return different_successors(instruction).size() > 1;
  if (llvm::isa<llvm::LandingPadInst>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && is_real_call(*call) &&
         (is_indirect(*call) || call->hasFnAttr(llvm::Attribute::ReturnsTwice));
}

bool is_never_reached(const llvm::BasicBlock& block) {
  return llvm::isa<llvm::UnreachableInst>(block.getFirstNonPHIOrDbg());
}

}  // namespace

record::FunctionKey key_of(const llvm::Function& function, std::uint64_t module_hash) {
  const llvm::StringRef name = function.getName();
  return record::key_of(name.data(), name.size(), function.hasLocalLinkage() ? module_hash : 0);
}

llvm::Function* callee_of(const llvm::CallBase& call) {
  return llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
}

bool is_indirect(const llvm::CallBase& call) { return callee_of(call) == nullptr; }

bool is_real_call(const Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && !call->isInlineAsm() && !llvm::isa<llvm::IntrinsicInst>(call);
}

bool always_returns(const llvm::CallBase& call) {
  const llvm::Function* callee = callee_of(call);
  return llvm::isa<llvm::CallInst>(call) && callee != nullptr && callee->isDeclaration() &&
         llvm::is_contained(kAlwaysReturn, callee->getName());
}

llvm::SmallVector<llvm::BasicBlock*, 8> different_successors(const Instruction& terminator) {
  llvm::SmallVector<llvm::BasicBlock*, 8> different;
  for (unsigned i = terminator.getMetadata(kNoDefault) == nullptr ? 0 : 1; i < terminator.getNumSuccessors();
       ++i) {
    if (!llvm::is_contained(different, terminator.getSuccessor(i)))
      different.push_back(terminator.getSuccessor(i));
  }
  return different;
}

bool number_places(llvm::Function& function) {
  if (!function.hasLocalLinkage() && llvm::is_contained(kAlwaysReturn, function.getName())) return false;
  std::vector<Instruction*> places;
  for (llvm::BasicBlock& block : function) {
    auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
    if (choice != nullptr && choice->getNumCases() > 0 && is_never_reached(*choice->getDefaultDest()))
      choice->setMetadata(kNoDefault, llvm::MDNode::get(function.getContext(), {}));
    if (choice != nullptr && (different_successors(*choice).size() > kMostSuccessors ||
                              choice->getCondition()->getType()->getIntegerBitWidth() > 64))
      return false;
    for (Instruction& instruction : block) {
      if (is_place(instruction)) places.push_back(&instruction);
    }
  }
  if (places.size() > record::kMostPlaces) return false;
  llvm::LLVMContext& context = function.getContext();
  for (std::size_t i = 0; i < places.size(); ++i) {
    llvm::Constant* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), i);
    places[i]->setMetadata(kPlace, llvm::MDNode::get(context, {llvm::ConstantAsMetadata::get(number)}));
  }
  return true;
}

std::optional<std::uint32_t> place_number(const Instruction& instruction) {
  const llvm::MDNode* kept = instruction.getMetadata(kPlace);
  if (kept == nullptr) return std::nullopt;
  const auto* number = llvm::mdconst::extract<llvm::ConstantInt>(kept->getOperand(0));
  return static_cast<std::uint32_t>(number->getZExtValue());
}

void forget_place(Instruction& instruction) { instruction.setMetadata(kPlace, nullptr); }

record::StepKind step_kind(const Instruction& instruction) {
  if (llvm::isa<llvm::BranchInst>(instruction)) return record::StepKind::kBranch;
  if (llvm::isa<llvm::SwitchInst>(instruction)) return record::StepKind::kSwitch;
  if (llvm::isa<llvm::LandingPadInst>(instruction)) return record::StepKind::kLanding;
  return is_indirect(llvm::cast<llvm::CallBase>(instruction)) ? record::StepKind::kIndirectCall
                                                              : record::StepKind::kSecondReturn;
}

}  // namespace heddle::plugin
