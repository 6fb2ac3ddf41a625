#include "tool/artifact/program_atomics.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include <capstone/capstone.h>
#include <cxxabi.h>

#include "tool/artifact/program_lines.h"

namespace heddle {
namespace {

struct Function {
  std::string_view symbol;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct Sweep {
  std::size_t bytes = 0;
  bool calls_runtime = false;
  std::size_t count = 0;
  std::uint64_t first_address = 0;
  std::string first_instruction;
};

std::string demangled(const std::string& symbol) {
  constexpr std::size_t kMaxMangled = 4096;
  if (!symbol.starts_with("_Z") || symbol.size() > kMaxMangled) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return text != nullptr ? std::string(text.get()) : symbol;
}

std::int32_t displacement(const std::uint8_t* bytes) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

bool has_lock_prefix(const cs_insn& instruction) {
  constexpr std::array<std::uint8_t, 10> kOtherPrefixes = {0xf2, 0xf3, 0x2e, 0x36, 0x3e,
                                                           0x26, 0x64, 0x65, 0x66, 0x67};
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

class Disassembler {
 public:
  explicit Disassembler(const ElfFile& file) : code_(file.code()), slots_(file.got_slots()) {
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

  const std::vector<CodeRange>& code() const { return code_; }

  Sweep sweep(std::uint64_t address, std::uint64_t size) {
    Sweep result;
    const CodeRange* range = range_of(address);
    if (!usable_ || range == nullptr) return result;
    const std::uint8_t* bytes = range->bytes + (address - range->address);
    result.bytes = static_cast<std::size_t>(std::min(size, range->size - (address - range->address)));
    std::size_t left = result.bytes;
    while (left > 0 && cs_disasm_iter(handle_, &bytes, &left, &address, instruction_)) {
      if (is_atomic(*instruction_)) {
        if (result.count++ == 0) {
          result.first_address = instruction_->address;
          result.first_instruction = instruction_->mnemonic;
        }
      } else if (instruction_->id == X86_INS_CALL || instruction_->id == X86_INS_JMP) {
        result.calls_runtime = result.calls_runtime || is_runtime_call(*instruction_);
      }
    }
    return result;
  }

 private:
  const CodeRange* range_of(std::uint64_t address) const {
    for (const CodeRange& range : code_) {
      if (address >= range.address && address - range.address < range.size) return &range;
    }
    return nullptr;
  }

  bool is_runtime_slot(std::uint64_t slot) const {
    const auto found = slots_.find(slot);
    return found != slots_.end() && found->second.starts_with("__tsan_");
  }

  // `call stub@plt`, or through the global offset table with -fno-plt.
  bool is_runtime_call(const cs_insn& instruction) {
    const std::uint64_t end = instruction.address + instruction.size;
    if (instruction.size == 5 && (instruction.bytes[0] == 0xe8 || instruction.bytes[0] == 0xe9)) {
      return is_runtime_stub(end +
                             static_cast<std::uint64_t>(std::int64_t{displacement(instruction.bytes + 1)}));
    }
    if (instruction.size == 6 && instruction.bytes[0] == 0xff &&
        (instruction.bytes[1] == 0x15 || instruction.bytes[1] == 0x25)) {
      return is_runtime_slot(end +
                             static_cast<std::uint64_t>(std::int64_t{displacement(instruction.bytes + 2)}));
    }
    return false;
  }

  // A stub of the procedure linkage table: [endbr64] [bnd] jmp *slot(%rip), whatever linker made it.
  bool is_runtime_stub(std::uint64_t target) {
    const auto known = stubs_.find(target);
    if (known != stubs_.end()) return known->second;
    bool& answer = stubs_[target] = false;
    const CodeRange* range = range_of(target);
    if (range == nullptr) return false;
    std::uint64_t at = target - range->address;
    const auto starts = [&](std::initializer_list<std::uint8_t> bytes) {
      return range->size - at >= bytes.size() && std::equal(bytes.begin(), bytes.end(), range->bytes + at);
    };
    if (starts({0xf3, 0x0f, 0x1e, 0xfa})) at += 4;
    if (starts({0xf2})) at += 1;
    if (!starts({0xff, 0x25}) || range->size - at < 6) return false;
    const std::uint64_t end = range->address + at + 6;
    answer =
        is_runtime_slot(end + static_cast<std::uint64_t>(std::int64_t{displacement(range->bytes + at + 2)}));
    return answer;
  }

  std::vector<CodeRange> code_;
  std::map<std::uint64_t, std::string> slots_;
  std::unordered_map<std::uint64_t, bool> stubs_;
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
  bool usable_ = false;
};

// The functions of the symbol table, one for each address; without any, each section as a whole.
std::vector<Function> functions_of(const std::vector<ElfSymbol>& symbols,
                                   const std::vector<CodeRange>& code) {
  std::map<std::uint64_t, Function> by_address;
  for (const ElfSymbol& symbol : symbols) {
    if (!symbol.is_function || !symbol.is_defined || symbol.size == 0) continue;
    by_address.try_emplace(symbol.address, Function{symbol.name, symbol.address, symbol.size});
  }
  std::vector<Function> functions;
  for (const auto& [address, function] : by_address) functions.push_back(function);
  if (functions.empty()) {
    for (const CodeRange& range : code) functions.push_back({"(no symbols)", range.address, range.size});
  }
  return functions;
}

}  // namespace

bool is_toolchain_function(std::string_view symbol) {
  constexpr std::array kPlainNames = std::to_array<std::string_view>(
      {"deregister_tm_clones", "register_tm_clones", "frame_dummy", "execute_native_thread_routine",
       "execute_native_thread_routine_compat"});
  if (!symbol.starts_with("_Z")) {
    return symbol.starts_with('_') ||
           std::find(kPlainNames.begin(), kPlainNames.end(), symbol) != kPlainNames.end();
  }
  // A local of, nested, const member, internal linkage; then the outermost scope, or the length and the name
  // of it.
  symbol.remove_prefix(std::min(symbol.find_first_not_of("ZNKL", 2), symbol.size()));
  constexpr std::array kScopes = std::to_array<std::string_view>(
      {"St", "Sa", "Sb", "Ss", "Si", "So", "Sd", "nw", "na", "dl", "da", "7testing"});
  if (std::any_of(kScopes.begin(), kScopes.end(), [&](auto scope) { return symbol.starts_with(scope); }))
    return true;
  const std::size_t name = symbol.find_first_not_of("0123456789");
  return name != 0 && name != std::string_view::npos &&
         symbol[name] == '_';  // reserved: __gnu_cxx, __cxxabiv1, …
}

std::vector<HiddenAtomics> find_hidden_atomics(const ElfFile& file, std::size_t max_bytes) {
  Disassembler disassembler(file);
  const std::vector<ElfSymbol> symbols = file.symbols();
  std::vector<HiddenAtomics> found;
  std::vector<std::string_view> names;  // the symbol of each of `found`
  std::vector<std::uint64_t> instrumented;
  for (const Function& function : functions_of(symbols, disassembler.code())) {
    const Sweep sweep =
        disassembler.sweep(function.address, std::min<std::uint64_t>(function.size, max_bytes));
    max_bytes -= std::min(max_bytes, sweep.bytes);
    if (sweep.calls_runtime) instrumented.push_back(function.address);
    if (sweep.count == 0) continue;
    names.push_back(function.symbol);
    found.push_back({demangled(std::string(function.symbol)), sweep.first_instruction, sweep.first_address,
                     sweep.count, "", 0, sweep.calls_runtime});
  }
  if (found.empty()) return found;
  const SourceLines lines(file);
  std::set<std::uint64_t> instrumented_units;
  for (std::uint64_t address : instrumented) {
    if (const auto unit = lines.unit(address)) instrumented_units.insert(*unit);
  }
  std::vector<HiddenAtomics> result;
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

}  // namespace heddle
