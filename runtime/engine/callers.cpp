#include "runtime/engine/callers.h"

#include <elf.h>
#include <link.h>

#include "core/base/freestanding.h"
#include "runtime/engine/execution.h"

namespace heddle::engine {

KnownCall known_calls[kKnownCalls];

namespace {

struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct LoadedModule {
  CodeRange range;
  bool instrumented = false;
};

constexpr std::uint32_t kMostModules = 512;
constexpr std::uint32_t kMostStringMembers = 2048;

// What is known of the process's modules.
struct Callers {
  LoadedModule modules[kMostModules];
  std::uint32_t module_count = 0;
  CodeRange string_members[kMostStringMembers];
  std::uint32_t string_member_count = 0;
};
Callers callers;

bool has_prefix(const char* text, const char* prefix) {
  while (*prefix != '\0') {
    if (*text++ != *prefix++) return false;
  }
  return true;
}

bool is_string_member(const char* symbol) {
  for (const char* prefix : {"_ZNSt7__cxx1112basic_stringI", "_ZNKSt7__cxx1112basic_stringI",
                             "_ZNSt3__112basic_stringI", "_ZNKSt3__112basic_stringI"}) {
    if (has_prefix(symbol, prefix)) return true;
  }
  return false;
}

// The dynamic symbol table of a module, as far as it is needed here.
struct SymbolTable {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const char* own_name = nullptr;   // DT_SONAME
  std::uint32_t undefined_end = 0;  // symbols that the module needs lie before this one
  std::uint32_t end = 0;
};

// The hash table lists defined symbols in the order of the table; the last chain's end is the table's end.
std::uint32_t count_by_gnu_hash(const std::uint32_t* hash) {
  const std::uint32_t buckets = hash[0];
  const std::uint32_t first = hash[1];
  const std::uint32_t* bucket = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < buckets; ++i) last = bucket[i] > last ? bucket[i] : last;
  if (last < first) return first;
  while ((chain[last - first] & 1) == 0) ++last;
  return last + 1;
}

SymbolTable symbols_of(const dl_phdr_info& info) {
  SymbolTable table;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  }
  if (dynamic == nullptr) return table;
  // ld.so has put absolute addresses there, except for the kernel's vdso.
  const auto address = [&](const ElfW(Dyn) * entry) {
    const std::uint64_t value = entry->d_un.d_ptr;
    return value < info.dlpi_addr ? value + info.dlpi_addr : value;
  };
  std::uint64_t own_name = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        table.symbols = reinterpret_cast<const ElfW(Sym)*>(address(dynamic));
        break;
      case DT_STRTAB:
        table.names = reinterpret_cast<const char*>(address(dynamic));
        break;
      case DT_SONAME:
        own_name = dynamic->d_un.d_val;
        break;
      case DT_GNU_HASH: {
        const auto* hash = reinterpret_cast<const std::uint32_t*>(address(dynamic));
        table.undefined_end = hash[1];
        table.end = count_by_gnu_hash(hash);
        break;
      }
      case DT_HASH:
        if (table.end == 0)
          table.end = table.undefined_end = reinterpret_cast<const std::uint32_t*>(address(dynamic))[1];
        break;
      default:
        break;
    }
  }
  if (table.symbols == nullptr || table.names == nullptr) return {};
  if (own_name != 0) table.own_name = table.names + own_name;
  return table;
}

// Instrumented code announces its functions, or at least its accesses, to the runtime.
bool needs_runtime(const SymbolTable& table) {
  for (std::uint32_t i = 1; i < table.undefined_end; ++i) {
    if (table.symbols[i].st_shndx != SHN_UNDEF) continue;
    const char* name = table.names + table.symbols[i].st_name;
    for (const char* prefix :
         {"__tsan_func_", "__tsan_read", "__tsan_write", "__tsan_mem", "__tsan_unaligned"}) {
      if (has_prefix(name, prefix)) return true;
    }
  }
  return false;
}

void add_string_members(const SymbolTable& table, std::uint64_t base) {
  if (table.own_name == nullptr) return;
  if (!has_prefix(table.own_name, "libstdc++.so") && !has_prefix(table.own_name, "libc++.so")) return;
  for (std::uint32_t i = table.undefined_end; i < table.end; ++i) {
    const ElfW(Sym)& symbol = table.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    if (!is_string_member(table.names + symbol.st_name)) continue;
    if (callers.string_member_count == kMostStringMembers) return;
    callers.string_members[callers.string_member_count++] = {base + symbol.st_value,
                                                             base + symbol.st_value + symbol.st_size};
  }
}

int add_module(dl_phdr_info* info, std::size_t, void*) {
  LoadedModule module;
  module.range.begin = ~0ull;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (begin < module.range.begin) module.range.begin = begin;
    if (begin + header.p_memsz > module.range.end) module.range.end = begin + header.p_memsz;
  }
  if (module.range.end == 0 || callers.module_count == kMostModules) return 0;
  const SymbolTable table = symbols_of(*info);
  module.instrumented = needs_runtime(table);
  callers.modules[callers.module_count++] = module;
  if (!module.instrumented) add_string_members(table, info->dlpi_addr);
  return 0;
}

const LoadedModule* module_at(std::uint64_t address) {
  for (std::uint32_t i = 0; i < callers.module_count; ++i) {
    const CodeRange& range = callers.modules[i].range;
    if (address >= range.begin && address < range.end) return &callers.modules[i];
  }
  return nullptr;
}

bool in_string_member(std::uint64_t address) {
  for (std::uint32_t i = 0; i < callers.string_member_count; ++i) {
    if (address > callers.string_members[i].begin && address <= callers.string_members[i].end) return true;
  }
  return false;
}

}  // namespace

void find_callers() {
  RuntimeScope scope;
  forget_callers();
  callers.module_count = callers.string_member_count = 0;
  dl_iterate_phdr(add_module, nullptr);
}

void forget_callers() { memset(known_calls, 0, sizeof known_calls); }

bool is_instrumented(std::uint64_t address) {
  const LoadedModule* module = module_at(address);
  return module != nullptr && module->instrumented;
}

Caller find_caller(std::uint64_t return_address) {
  const LoadedModule* module = module_at(return_address);
  if (module == nullptr) {
    find_callers();
    module = module_at(return_address);
  }
  Caller caller = Caller::kLibrary;
  if (module != nullptr && module->instrumented) {
    caller = Caller::kInstrumented;
  } else if (module != nullptr && in_string_member(return_address)) {
    caller = Caller::kStringMember;
  }
  known_calls[(return_address ^ return_address >> 12) % kKnownCalls] = {return_address, caller};
  return caller;
}

}  // namespace heddle::engine
