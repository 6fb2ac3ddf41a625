#include "runtime/engine/elf_module.h"

#include "core/base/pages.h"

namespace heddle::engine {
namespace {

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

void extend(CodeRange& range, std::uint64_t begin, std::uint64_t end) {
  if (range.end == 0 || begin < range.begin) range.begin = begin;
  if (end > range.end) range.end = end;
}

const ElfW(Dyn) * read_segments(const dl_phdr_info& info, ElfModule& module) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    const std::uint64_t end = begin + header.p_memsz;
    switch (header.p_type) {
      case PT_LOAD:
        extend(module.range, begin, end);
        if ((header.p_flags & PF_X) != 0) extend(module.code, begin, end);
        break;
      case PT_DYNAMIC:
        dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
        break;
      case PT_GNU_RELRO:
        module.relro = {begin & ~(kPageSize - 1), end & ~(kPageSize - 1)};
        break;
      default:
        break;
    }
  }
  return dynamic;
}

}  // namespace

ElfModule describe_module(const dl_phdr_info& info) {
  ElfModule module;
  module.base = info.dlpi_addr;
  module.path = info.dlpi_name;
  const ElfW(Dyn)* dynamic = read_segments(info, module);
  if (dynamic == nullptr) return module;
  // ld.so has put absolute addresses there, except for the kernel's vdso.
  const auto address = [&](const ElfW(Dyn) * entry) {
    const std::uint64_t value = entry->d_un.d_ptr;
    return value < info.dlpi_addr ? value + info.dlpi_addr : value;
  };
  std::uint64_t own_name = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        module.symbols = reinterpret_cast<const ElfW(Sym)*>(address(dynamic));
        break;
      case DT_STRTAB:
        module.names = reinterpret_cast<const char*>(address(dynamic));
        break;
      case DT_SONAME:
        own_name = dynamic->d_un.d_val;
        break;
      case DT_GNU_HASH: {
        const auto* hash = reinterpret_cast<const std::uint32_t*>(address(dynamic));
        module.undefined_end = hash[1];
        module.end = count_by_gnu_hash(hash);
        break;
      }
      case DT_HASH:
        if (module.end == 0)
          module.end = module.undefined_end = reinterpret_cast<const std::uint32_t*>(address(dynamic))[1];
        break;
      case DT_VERSYM:
        module.versions = reinterpret_cast<const ElfW(Versym)*>(address(dynamic));
        break;
      case DT_VERNEED:
        module.needed_versions = reinterpret_cast<const ElfW(Verneed)*>(address(dynamic));
        break;
      case DT_RELA:
        module.data_relocations.entries = reinterpret_cast<const ElfW(Rela)*>(address(dynamic));
        break;
      case DT_RELASZ:
        module.data_relocations.count = dynamic->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_JMPREL:
        module.call_relocations.entries = reinterpret_cast<const ElfW(Rela)*>(address(dynamic));
        break;
      case DT_PLTRELSZ:
        module.call_relocations.count = dynamic->d_un.d_val / sizeof(ElfW(Rela));
        break;
      default:
        break;
    }
  }
  if (module.symbols == nullptr || module.names == nullptr) {
    module.undefined_end = module.end = 0;
    module.data_relocations = module.call_relocations = {};
    return module;
  }
  if (own_name != 0) module.own_name = module.names + own_name;
  return module;
}

const char* ElfModule::version_of(std::uint32_t symbol) const {
  if (versions == nullptr || needed_versions == nullptr) return nullptr;
  constexpr std::uint16_t kHidden = 0x8000;
  const auto wanted = static_cast<std::uint16_t>(versions[symbol] & ~kHidden);
  const auto* file = reinterpret_cast<const char*>(needed_versions);
  for (;;) {
    const auto* needed = reinterpret_cast<const ElfW(Verneed)*>(file);
    const char* at = file + needed->vn_aux;
    for (std::uint32_t i = 0; i < needed->vn_cnt; ++i) {
      const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(at);
      if (version->vna_other == wanted) return names + version->vna_name;
      at += version->vna_next;
    }
    if (needed->vn_next == 0) return nullptr;
    file += needed->vn_next;
  }
}

const char* ElfModule::file_name() const {
  const char* name = path;
  for (const char* at = path; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return name;
}

}  // namespace heddle::engine
