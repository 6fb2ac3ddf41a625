// Where the loaded modules hold addresses of functions of watched libraries, and thunks in their place.
#include <dlfcn.h>
#include <sys/mman.h>

#include "core/base/raw_syscall.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/library_watch.h"

namespace heddle::engine {
namespace {

// Opens what is read-only after relocation for as long as one lives, if it has to.
class Slots {
 public:
  explicit Slots(const CodeRange& relro) : relro_(relro) {}
  ~Slots() {
    if (open_) protect(PROT_READ);
  }
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;

  void set(std::uint64_t slot, std::uint64_t value) {
    if (!open_ && relro_.contains(slot)) {
      protect(PROT_READ | PROT_WRITE);
      open_ = true;
    }
    *reinterpret_cast<std::uint64_t*>(slot) = value;
  }

 private:
  void protect(int protection) const {
    raw_syscall(SYS_mprotect, relro_.begin, relro_.end - relro_.begin, protection);
  }
  const CodeRange& relro_;
  bool open_ = false;
};

std::uint64_t value_at(std::uint64_t slot) { return *reinterpret_cast<const std::uint64_t*>(slot); }

// A call that is bound when it is first made: where will it go?
std::uint64_t bound_later(const ElfModule& module, const ElfW(Rela) & relocation) {
  const auto number = static_cast<std::uint32_t>(ELF64_R_SYM(relocation.r_info));
  const char* name = module.name_of(module.symbols[number]);
  const char* version = module.version_of(number);
  const auto find = [&](void* scope) {
    return version != nullptr ? dlvsym(scope, name, version) : dlsym(scope, name);
  };
  void* found = find(RTLD_DEFAULT);
  // What was loaded for itself does not lie in the scope of all.
  if (found == nullptr && module.path[0] != '\0') {
    if (void* handle = dlopen(module.path, RTLD_NOLOAD | RTLD_LAZY)) {
      found = find(handle);
      dlclose(handle);
    }
  }
  return reinterpret_cast<std::uint64_t>(found);
}

void watch_slot(Slots& slots, std::uint64_t slot, std::uint64_t value, bool only_trusted) {
  const std::uint32_t library = library_of_code(value);
  if (library == kNoLibrary) return;
  if (only_trusted && (trusted_libraries() >> library & 1) == 0) return;
  if (const std::uint64_t thunk = thunk_for(value, library); thunk != 0) slots.set(slot, thunk);
}

void watch_calls(const ElfModule& module, Slots& slots) {
  for (const ElfW(Rela) & relocation : module.call_relocations) {
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_JUMP_SLOT) continue;
    const std::uint64_t slot = module.base + relocation.r_offset;
    std::uint64_t value = value_at(slot);
    if (module.code.contains(value)) value = bound_later(module, relocation);
    watch_slot(slots, slot, value, false);
  }
}

bool is_vtable(const char* name) { return has_prefix(name, "_ZTV"); }

// The words of a vtable that hold functions: others never hold an address of code.
void watch_vtable(Slots& slots, std::uint64_t begin, std::uint64_t bytes) {
  for (std::uint64_t at = begin; at + 8 <= begin + bytes; at += 8) watch_slot(slots, at, value_at(at), true);
}

void watch_addresses(const ElfModule& module, Slots& slots) {
  for (const ElfW(Rela) & relocation : module.data_relocations) {
    const std::uint64_t slot = module.base + relocation.r_offset;
    const ElfW(Sym)& symbol = module.symbols[ELF64_R_SYM(relocation.r_info)];
    switch (ELF64_R_TYPE(relocation.r_info)) {
      case R_X86_64_GLOB_DAT:  // also the calls of -fno-plt
      case R_X86_64_64:
        if (relocation.r_addend == 0) watch_slot(slots, slot, value_at(slot), true);
        break;
      case R_X86_64_COPY:  // programs that were not built to be moved have copies of the library's data
        if (is_vtable(module.name_of(symbol))) watch_vtable(slots, slot, symbol.st_size);
        break;
      default:
        break;
    }
  }
}

void watch_own_vtables(const ElfModule& library, Slots& slots) {
  for (std::uint32_t i = library.undefined_end; i < library.end; ++i) {
    const ElfW(Sym)& symbol = library.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
    if (is_vtable(library.name_of(symbol)))
      watch_vtable(slots, library.base + symbol.st_value, symbol.st_size);
  }
}

int watch_module(dl_phdr_info* info, std::size_t, void*) {
  const ElfModule module = describe_module(*info);
  if (module.symbols == nullptr) return 0;
  Slots slots(module.relro);
  if (is_instrumented(module.code.begin)) {
    watch_calls(module, slots);
    if (trusted_libraries() != 0) watch_addresses(module, slots);
  } else if (const std::uint32_t library = library_of_code(module.code.begin);
             library != kNoLibrary && (trusted_libraries() >> library & 1) != 0) {
    watch_own_vtables(module, slots);
  }
  return 0;
}

}  // namespace

void install_entries() {
  RuntimeScope scope;
  dl_iterate_phdr(watch_module, nullptr);
  dlerror();  // what was looked for in vain is none of the program's errors
  finish_thunks();
}

}  // namespace heddle::engine
