#include "compiler/plugin/path_sites.h"

#include "compiler/plugin/path_numbers.h"
#include "core/record/path_table.h"

namespace heddle::plugin {

unsigned PathSites::bits_of(const llvm::Instruction& push) const {
  if (rounds.count(&push) != 0) return record::kMostRoundsBits;
  if (const QuietLoop* loop = quiet.lookup(&push)) return loop->leaving_bits();
  if (llvm::isa<llvm::BranchInst>(push)) return rare.count(&push) != 0 ? 2 : 1;
  return record::most_switch_bits(static_cast<std::uint32_t>(different_successors(push).size()));
}

bool may_leave(const llvm::Instruction& instruction) {
  return is_real_call(instruction) && !always_returns(llvm::cast<llvm::CallBase>(instruction));
}

bool is_end(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::ReturnInst>(instruction) || llvm::isa<llvm::ResumeInst>(instruction);
}

}  // namespace heddle::plugin
