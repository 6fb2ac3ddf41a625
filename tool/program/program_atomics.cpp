#include "tool/program/program_atomics.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include <capstone/capstone.h>
#include <cxxabi.h>

#include "tool/program/program_calls.h"
#include "tool/program/program_lines.h"

namespace heddle {
namespace {

constexpr std::array kToolchainNames = std::to_array<std::string_view>(
    {"deregister_tm_clones", "register_tm_clones", "frame_dummy", "execute_native_thread_routine",
     "execute_native_thread_routine_compat"});
constexpr std::array kToolchainScopes = std::to_array<std::string_view>(
    {"St", "Sa", "Sb", "Ss", "Si", "So", "Sd", "nw", "na", "dl", "da", "7testing"});
constexpr std::size_t kMaxMangled = 4096;
constexpr std::array<std::uint8_t, 10> kOtherPrefixes = {0xf2, 0xf3, 0x2e, 0x36, 0x3e,
                                                         0x26, 0x64, 0x65, 0x66, 0x67};

struct Function {
  std::string_view symbol;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

constexpr std::string_view kNoSymbols = "(no symbols)";

struct Sweep {
  std::size_t count = 0;
  std::uint64_t first_address = 0;
  std::string first_instruction;
};

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z") || symbol.size() > kMaxMangled) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return text != nullptr ? std::string(text.get()) : symbol;
}

bool has_lock_prefix(const cs_insn& instruction) {
  for (std::uint16_t i = 0; i < instruction.size; ++i) {
    const std::uint8_t byte = instruction.bytes[i];
    if (byte == 0xf0) return true;
    if (std::find(kOtherPrefixes.begin(), kOtherPrefixes.end(), byte) == kOtherPrefixes.end()) return false;
  }
  return false;
}

bool is_atomic(const cs_insn& instruction) {
  switch (instruction.id) {
    case X86_INS_INVALID:
      return false;
    case X86_INS_MFENCE:
      return true;
    case X86_INS_XCHG:  // locked by itself when one operand is memory
    case X86_INS_CMPXCHG:
    case X86_INS_CMPXCHG8B:
    case X86_INS_CMPXCHG16B:
      return std::strchr(instruction.op_str, '[') != nullptr;
    default:
      return has_lock_prefix(instruction);
  }
}

// Whether the bytes could hold an atomic instruction at all; most functions stop here. Disassembling is the
// slow part (about 4 MB/s).
bool worth_disassembling(const unsigned char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char byte = bytes[i];
    if (byte == 0xf0) return true;  // lock, and the last byte of mfence
    if (i + 1 < size && (byte == 0x86 || byte == 0x87) && bytes[i + 1] < 0xc0)
      return true;  // xchg with memory
    if (i + 1 < size && byte == 0x0f &&
        (bytes[i + 1] == 0xb0 || bytes[i + 1] == 0xb1 || bytes[i + 1] == 0xc7)) {
      return true;  // cmpxchg
    }
  }
  return false;
}

class Disassembler {
 public:
  Disassembler() {
    usable_ = cs_open(CS_ARCH_X86, CS_MODE_64, &handle_) == CS_ERR_OK;
    if (!usable_) return;
    cs_option(handle_, CS_OPT_SKIPDATA, CS_OPT_ON);  // bytes that are no instruction do not end the sweep
    instruction_ = cs_malloc(handle_);
  }
  ~Disassembler() {
    if (!usable_) return;
    cs_free(instruction_, 1);
    cs_close(&handle_);
  }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  Sweep sweep(const unsigned char* bytes, std::size_t size, std::uint64_t address) {
    Sweep result;
    if (!usable_ || !worth_disassembling(bytes, size)) return result;
    while (size > 0 && cs_disasm_iter(handle_, &bytes, &size, &address, instruction_)) {
      if (!is_atomic(*instruction_) || result.count++ > 0) continue;
      result.first_address = instruction_->address;
      result.first_instruction = instruction_->mnemonic;
    }
    return result;
  }

 private:
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
  bool usable_ = false;
};

// Bodies for native runs of a `--full` build (compiler/plugin/bodies.h), which the engine does not run:
// theirs are the machine's atomics.
void remove_native_bodies(std::vector<Function>& functions) {
  constexpr std::string_view kSwitchboard = ".heddle_mode";
  std::set<std::string_view> split;
  for (const Function& function : functions) {
    if (function.symbol.ends_with(kSwitchboard))
      split.insert(function.symbol.substr(0, function.symbol.size() - kSwitchboard.size()));
  }
  std::erase_if(functions, [&](const Function& function) {
    return split.count(function.symbol) != 0 || function.symbol.find(".heddle_") != std::string_view::npos;
  });
}

// The functions of the symbol table, one for each address. In a stripped file, where .dynsym has but a few of
// them, each section as a whole.
std::vector<Function> functions_of(const ElfFile& file, const std::vector<ElfSymbol>& symbols,
                                   const std::vector<CodeRange>& code) {
  std::vector<Function> functions;
  if (!file.has_section(".symtab")) {
    if (file.has_section("heddle_graph"))
      return functions;  // a --full build: its native bodies cannot be told
    for (const CodeRange& range : code) functions.push_back({kNoSymbols, range.address, range.size});
    return functions;
  }
  std::map<std::uint64_t, Function> by_address;
  for (const ElfSymbol& symbol : symbols) {
    if (!symbol.is_function || !symbol.is_defined || symbol.size == 0) continue;
    by_address.try_emplace(symbol.address, Function{symbol.name, symbol.address, symbol.size});
  }
  for (const auto& [address, function] : by_address) functions.push_back(function);
  remove_native_bodies(functions);
  return functions;
}

const CodeRange* range_of(const std::vector<CodeRange>& code, std::uint64_t address) {
  for (const CodeRange& range : code) {
    if (address >= range.address && address - range.address < range.size) return &range;
  }
  return nullptr;
}

// Adds what the debug information knows, and takes out the toolchain's own code.
std::vector<HiddenAtomics> with_sources(const ElfFile& file, std::vector<HiddenAtomics> found,
                                        const std::vector<std::string_view>& names,
                                        const std::vector<std::uint64_t>& instrumented) {
  std::vector<HiddenAtomics> result;
  if (found.empty()) return result;
  const SourceLines lines(file);
  std::set<std::uint64_t> instrumented_units;
  for (std::uint64_t address : instrumented) {
    if (const auto unit = lines.unit(address)) instrumented_units.insert(*unit);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    HiddenAtomics& entry = found[i];
    const auto unit = lines.unit(entry.address);
    if (unit && instrumented_units.count(*unit) != 0) entry.in_instrumented_code = true;
    if (!entry.in_instrumented_code && is_toolchain_function(names[i])) continue;
    if (const auto place = lines.place(entry.address)) {
      entry.file = place->file;
      entry.line = place->line;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

bool is_toolchain_function(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) {
    return symbol.starts_with('_') ||
           std::find(kToolchainNames.begin(), kToolchainNames.end(), symbol) != kToolchainNames.end();
  }
  // A local of, nested, const member, internal linkage; then the outermost scope, or the length and the name
  // of it.
  symbol.remove_prefix(std::min(symbol.find_first_not_of("ZNKL", 2), symbol.size()));
  if (std::any_of(kToolchainScopes.begin(), kToolchainScopes.end(),
                  [&](auto scope) { return symbol.starts_with(scope); }))
    return true;
  const std::size_t name = symbol.find_first_not_of("0123456789");
  return name != 0 && name != std::string_view::npos &&
         symbol[name] == '_';  // reserved: __gnu_cxx, __cxxabiv1, …
}

std::vector<HiddenAtomics> find_hidden_atomics(const ElfFile& file, std::size_t max_bytes) {
  const std::vector<CodeRange> code = file.code();
  const std::vector<ElfSymbol> symbols = file.symbols();
  const RuntimeCalls runtime_calls(file, code);
  Disassembler disassembler;
  std::vector<HiddenAtomics> found;
  std::vector<std::string_view> names;  // the symbol of each of `found`
  std::vector<std::uint64_t> instrumented;
  for (const Function& function : functions_of(file, symbols, code)) {
    const CodeRange* range = range_of(code, function.address);
    if (range == nullptr) continue;
    const std::size_t offset = static_cast<std::size_t>(function.address - range->address);
    const std::size_t size =
        static_cast<std::size_t>(std::min<std::uint64_t>({function.size, range->size - offset, max_bytes}));
    max_bytes -= size;
    // A stripped section as a whole says nothing about each of its functions.
    const bool calls = function.symbol != kNoSymbols && runtime_calls.any_in(*range, offset, size);
    if (calls) instrumented.push_back(function.address);
    const Sweep sweep = disassembler.sweep(range->bytes + offset, size, function.address);
    if (sweep.count == 0) continue;
    names.push_back(function.symbol);
    found.push_back({demangled(std::string(function.symbol)), sweep.first_instruction, sweep.first_address,
                     sweep.count, "", 0, calls});
  }
  return with_sources(file, std::move(found), names, instrumented);
}

}  // namespace heddle
