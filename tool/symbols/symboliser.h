// Addresses of an execution to functions, source places and variables, from the files of its modules
// (elfutils' libdwfl); no live process is needed. Works with whatever is there: full debug information, a
// symbol table only, or neither, in which case module and offset remain. A module's file that is not the one
// that ran (by build id) is not used: wrong names are worse than none.
//
// Not thread-safe. Answers are kept, so asking again costs a lookup.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tool/trace/symbols.h"
#include "tool/trace/trace.h"

namespace heddle {

class ModuleDebug;

// A function's frame: its canonical address (just above the return address), and its stack pointer.
struct StackFrame {
  Address canonical = 0;
  Address stack_pointer = 0;
};

// Addresses of code or of a variable; `end` is one past the last.
struct AddressSpan {
  Address begin = 0;
  Address end = 0;
};

// A C++ name for people: demangled, without the compiler's " [clone …]" and ".constprop.0" endings.
std::string demangled(const char* symbol);

class Symboliser {
 public:
  explicit Symboliser(std::vector<TraceModule> modules);
  ~Symboliser();

  // The activations at the call that returns to `return_address`, inlined ones first; never empty. An address
  // that is no return address (a faulting instruction) is asked for plus one.
  const std::vector<Frame>& frames(std::uint64_t return_address);

  // The global variable at `address`; with debug information also the member or element, e.g. "queue.head".
  // `size` of the access, where known, decides between the members of a union.
  std::optional<DataSymbol> data(Address address, std::uint32_t size = 0);

  // The local variable at `address` in the frame of the function at `return_address`; likewise with members.
  std::optional<DataSymbol> local(std::uint64_t return_address, const StackFrame& frame, Address address,
                                  std::uint32_t size = 0);

  // The thread-local variable at `offset` of the storage of the module with this load bias.
  std::optional<DataSymbol> thread_local_data(Address module_base, std::uint64_t offset,
                                              std::uint32_t size = 0);

  // The code of a source line, in all modules; `file` may lack folders in front.
  std::vector<AddressSpan> code_of_line(std::string_view file, std::uint32_t line);
  // Global variables of this name, which may lack namespaces and classes in front.
  std::vector<AddressSpan> variables_named(std::string_view name);

  // What kept symbols from being found, for people: one sentence per module.
  std::vector<std::string> warnings() const;

 private:
  ModuleDebug* module_at(Address address);

  std::vector<std::unique_ptr<ModuleDebug>> modules_;  // in order of their first address
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;
  std::unordered_map<std::uint64_t, std::optional<DataSymbol>> data_;
};

// Fills trace.symbols for every place and address that an event or a finding names, and keeps the source
// lines around the places that the findings cite (more of them) and around those of the events (fewer).
void symbolise(Trace& trace, Symboliser& symboliser);

}  // namespace heddle
