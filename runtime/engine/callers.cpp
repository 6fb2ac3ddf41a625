#include "runtime/engine/callers.h"

#include "runtime/engine/elf_module.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/library_watch.h"

namespace heddle::engine {

KnownCall known_calls[kKnownCalls];

namespace {

struct LoadedModule {
  CodeRange range;
  CodeRange code;
  std::uint32_t library = 0;  // watched, or kNoLibrary
  bool instrumented = false;
};

constexpr std::uint32_t kMostModules = 512;
constexpr std::uint32_t kMostStringMembers = 2048;

// What is known of the process's modules.
struct Callers {
  LoadedModule modules[kMostModules];
  std::uint32_t module_count = 0;
  std::uint64_t loads = 0;  // how many modules had been loaded ever
  CodeRange string_members[kMostStringMembers];
  std::uint32_t string_member_count = 0;
};
Callers callers;

// Members of strings, files, condition variables and locks: they do with the caller's object what it asked for.
bool is_string_member(const char* symbol) {
  for (const char* prefix :
       {"_ZNSt7__cxx1112basic_stringI", "_ZNKSt7__cxx1112basic_stringI", "_ZNSt3__112basic_stringI",
        "_ZNKSt3__112basic_stringI", "_ZNSt12__basic_fileI", "_ZNSt18condition_variable",
        "_ZNSt3__118condition_variable", "_ZNSt3__15mutex", "_ZNSt3__115recursive_mutex",
        "_ZNSt3__111timed_mutex", "_ZNSt3__121recursive_timed_mutex", "_ZNSt3__119__shared_mutex_base"}) {
    if (has_prefix(symbol, prefix)) return true;
  }
  return false;
}

// Instrumented code announces its functions, or at least its accesses, to the runtime.
bool needs_runtime(const ElfModule& table) {
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

void add_string_members(const ElfModule& table) {
  if (table.own_name == nullptr) return;
  if (!has_prefix(table.own_name, "libstdc++.so") && !has_prefix(table.own_name, "libc++.so")) return;
  for (std::uint32_t i = table.undefined_end; i < table.end; ++i) {
    const ElfW(Sym)& symbol = table.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    if (!is_string_member(table.names + symbol.st_name)) continue;
    if (callers.string_member_count == kMostStringMembers) return;
    const std::uint64_t begin = table.base + symbol.st_value;
    callers.string_members[callers.string_member_count++] = {begin, begin + symbol.st_size};
  }
}

int add_module(dl_phdr_info* info, std::size_t, void*) {
  const ElfModule elf = describe_module(*info);
  if (elf.range.end == 0 || callers.module_count == kMostModules) return 0;
  LoadedModule module;
  module.library = kNoLibrary;
  module.range = elf.range;
  module.code = elf.code;
  module.instrumented = needs_runtime(elf);
  if (!module.instrumented) {
    if (watches_libraries()) module.library = library_number(elf);
    add_string_members(elf);
  }
  callers.modules[callers.module_count++] = module;
  return 0;
}

int count_loads(dl_phdr_info* info, std::size_t, void* loads) {
  *static_cast<std::uint64_t*>(loads) = info->dlpi_adds;
  return 1;
}

const LoadedModule* module_at(std::uint64_t address) {
  for (std::uint32_t i = 0; i < callers.module_count; ++i) {
    if (callers.modules[i].range.contains(address)) return &callers.modules[i];
  }
  return nullptr;
}

bool in_string_member(std::uint64_t address) {
  for (std::uint32_t i = 0; i < callers.string_member_count; ++i) {
    if (address > callers.string_members[i].begin && address <= callers.string_members[i].end) return true;
  }
  return false;
}

// The runtime's own interposers call one another for the program: cnd_signal calls pthread_cond_signal.
bool is_own_module(const LoadedModule& module) {
  return module.range.contains(reinterpret_cast<std::uint64_t>(&known_calls));
}

}  // namespace

void find_callers() {
  RuntimeScope scope;
  forget_callers();
  callers.module_count = callers.string_member_count = 0;
  dl_iterate_phdr(add_module, nullptr);
  dl_iterate_phdr(count_loads, &callers.loads);
  if (watches_libraries()) install_entries();
}

void find_new_callers() {
  RuntimeScope scope;
  std::uint64_t loads = 0;
  dl_iterate_phdr(count_loads, &loads);
  if (loads != callers.loads) find_callers();
}

void forget_callers() { memset(known_calls, 0, sizeof known_calls); }

bool is_instrumented(std::uint64_t address) {
  const LoadedModule* module = module_at(address);
  return module != nullptr && module->instrumented;
}

std::uint32_t library_of_code(std::uint64_t address) {
  const LoadedModule* module = module_at(address);
  return module != nullptr && module->code.contains(address) ? module->library : kNoLibrary;
}

const KnownCall& find_caller(std::uint64_t return_address) {
  const LoadedModule* module = module_at(return_address);
  if (module == nullptr) {
    find_callers();
    module = module_at(return_address);
  }
  Caller caller = Caller::kLibrary;
  if (module != nullptr && module->instrumented) {
    caller = Caller::kInstrumented;
  } else if (module != nullptr && (in_string_member(return_address) || is_own_module(*module))) {
    caller = Caller::kStringMember;
  }
  KnownCall& known = known_calls[(return_address ^ return_address >> 12) % kKnownCalls];
  known = {return_address, caller,
           static_cast<std::uint8_t>(module != nullptr ? module->library : kNoLibrary)};
  return known;
}

}  // namespace heddle::engine
