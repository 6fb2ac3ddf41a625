// Atomic instructions in a program's own code. Where a compiler instruments, every atomic operation of the
// language becomes a call of __tsan_atomic…. So a lock prefix, an xchg with memory or an mfence that is left
// comes from inline assembly, or from code that was built without instrumentation. Either way heddle does not
// see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool/program/program_elf.h"

namespace heddle {

// One function with such instructions.
struct HiddenAtomics {
  std::string function;     // demangled
  std::string instruction;  // the first one, such as "lock cmpxchg"
  std::uint64_t address = 0;
  std::size_t count = 0;
  std::string file;  // source of the first one where there is debug information, else empty
  int line = 0;
  // The function, or another one of the same source file, is instrumented: then it is inline assembly.
  bool in_instrumented_code = false;
};

// True for code that comes with the compiler or the test framework and not from the user: the C++ library's
// templates, the C++ runtime and the start-up files, linked from archives that were built without
// instrumentation.
bool is_toolchain_function(std::string_view symbol);

// Sweeps all code of the file, function by function; at most `max_bytes` of code.
std::vector<HiddenAtomics> find_hidden_atomics(const ElfFile& file, std::size_t max_bytes);

}  // namespace heddle
