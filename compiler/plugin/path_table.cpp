#include "compiler/plugin/path_table.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>

#include "compiler/plugin/path_numbers.h"
#include "core/record/path_table.h"

namespace heddle::plugin {
namespace {

using record::EndKind;
using record::ItemKind;

class TableWriter {
 public:
  TableWriter(const llvm::Function& body, std::uint64_t module_hash) : module_hash_(module_hash) {
    for (const llvm::BasicBlock& block : body) numbers_.insert({&block, numbers_.size()});
  }

  void key(record::FunctionKey key) {
    for (unsigned i = 0; i < record::kKeyBits / 8; ++i)
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(key) >> (8 * i));
  }
  void number(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) bytes_ += static_cast<char>(0x80 | (n & 0x7f));
    bytes_ += static_cast<char>(n);
  }
  void text(llvm::StringRef text) {
    number(text.size());
    bytes_ += text;
  }

  void block(const llvm::BasicBlock& block) {
    std::size_t count = 0;
    std::string before;
    std::swap(before, bytes_);
    for (const llvm::Instruction& instruction : block) count += item(instruction);
    std::swap(before, bytes_);
    number(count);
    bytes_ += before;
    end(*block.getTerminator());
  }

  void loop(const CountedLoop& loop) {
    to(loop.header);
    number(loop.exits.size());
    for (const CountedLoop::Exit& exit : loop.exits) {
      to(exit.branch->getParent());
      number(exit.leaves_by == 0 ? 0 : 1);
    }
  }

  void loop(const FixedLoop& loop) {
    to(loop.header);
    to(loop.latch);
    number(loop.leaves_by == 0 ? 0 : 1);
    number(loop.rounds);
  }

  void loop(const QuietLoop& loop) {
    to(loop.branch->getParent());
    number(loop.leaves_by == 0 ? 0 : 1);
    to(loop.rare->getParent());
    number(loop.rare_successor == 0 ? 1 : 0);
    number(loop.bits);
    number(loop.code);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  template <typename Kind>
  void kind(Kind kind) {
    bytes_ += static_cast<char>(kind);
  }
  void to(const llvm::BasicBlock* block) { number(numbers_.lookup(block)); }
  void place(const llvm::Instruction& instruction) {
    number(place_number(instruction).value_or(0));
    // Of inlined code: where it was called, since the function has one file.
    const llvm::DILocation* at = instruction.getDebugLoc();
    while (at != nullptr && at->getInlinedAt() != nullptr) at = at->getInlinedAt();
    number(at != nullptr ? at->getLine() : 0);
  }
  void landing_of(const llvm::CallBase& call) {
    const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
    number(invoke == nullptr ? 0 : 1 + numbers_.lookup(invoke->getUnwindDest()));
  }

  std::size_t item(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::LandingPadInst>(instruction)) {
      kind(ItemKind::kLanding);
      place(instruction);
      return 1;
    }
    if (!is_real_call(instruction)) return 0;
    const auto& call = llvm::cast<llvm::CallBase>(instruction);
    if (is_indirect(call)) {
      kind(ItemKind::kIndirectCall);
      place(call);
      landing_of(call);
      return 1;
    }
    kind(ItemKind::kCall);
    key(key_of(*callee_of(call), module_hash_));
    landing_of(call);
    if (!place_number(call)) return 1;
    kind(ItemKind::kSecondReturn);
    place(call);
    return 2;
  }

  void end(const llvm::Instruction& end) {
    if (llvm::isa<llvm::ReturnInst>(end)) return kind(EndKind::kReturn);
    if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&end)) {
      kind(EndKind::kJump);
      return to(invoke->getNormalDest());
    }
    const auto next = different_successors(end);
    if (next.empty()) return kind(EndKind::kStop);
    if (next.size() == 1) {
      kind(EndKind::kJump);
      return to(next[0]);
    }
    kind(llvm::isa<llvm::SwitchInst>(end) ? EndKind::kSwitch : EndKind::kBranch);
    place(end);
    if (llvm::isa<llvm::SwitchInst>(end)) number(next.size());
    for (const llvm::BasicBlock* block : next) to(block);
  }

  std::uint64_t module_hash_;
  llvm::DenseMap<const llvm::BasicBlock*, std::uint64_t> numbers_;
  std::string bytes_;
};

std::string source_file(const llvm::Function& function) {
  const llvm::DISubprogram* scope = function.getSubprogram();
  return scope == nullptr ? function.getParent()->getSourceFileName() : scope->getFilename().str();
}

}  // namespace

llvm::GlobalValue* make_path_table(const llvm::Function& named, llvm::Function& body, const PathLoops& loops,
                                   std::uint64_t module_hash) {
  TableWriter writer(body, module_hash);
  writer.key(key_of(named, module_hash));
  writer.text(named.getName());
  writer.text(source_file(named));
  writer.number(body.size());
  for (const llvm::BasicBlock& block : body) writer.block(block);
  writer.number(loops.counted.size());
  for (const CountedLoop& loop : loops.counted) writer.loop(loop);
  writer.number(loops.fixed.size());
  for (const FixedLoop& loop : loops.fixed) writer.loop(loop);
  writer.number(loops.quiet.size());
  for (const QuietLoop& loop : loops.quiet) writer.loop(loop);

  const std::string& described = writer.bytes();
  std::string entry;
  for (unsigned i = 0; i < 4; ++i) entry += static_cast<char>(described.size() >> (8 * i));
  entry += described;
  llvm::Module& module = *body.getParent();
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(module.getContext(), entry, false);
  auto* kept = new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                        bytes, "heddle.path");
  kept->setSection(record::kPathSection);
  kept->setAlignment(llvm::Align(1));
  kept->setComdat(body.getComdat());
  return kept;
}

}  // namespace heddle::plugin
