// Which code of a file calls the runtime, that is, was instrumented.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "tool/program/program_elf.h"

namespace heddle {

// Searches the bytes for calls without disassembling them: a call's target is so particular a number that
// other bytes do not make one by chance, and this is a hundred times faster.
class RuntimeCalls {
 public:
  RuntimeCalls(const ElfFile& file, const std::vector<CodeRange>& code);

  // Whether `size` bytes from `offset` in `range` hold a call of a __tsan_ function.
  bool any_in(const CodeRange& range, std::size_t offset, std::size_t size) const;

 private:
  void find_stubs(const CodeRange& range);

  std::unordered_set<std::uint64_t> slots_;  // of the global offset table
  std::unordered_set<std::uint64_t> stubs_;  // of the procedure linkage table
};

}  // namespace heddle
