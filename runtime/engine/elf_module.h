// What the dynamic linker was told about a loaded module, read from its own memory: segments, symbols,
// relocations.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstdint>

#include "core/base/freestanding.h"

namespace heddle::engine {

struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool contains(std::uint64_t address) const { return address >= begin && address < end; }
};

struct RelocationTable {
  const ElfW(Rela) * entries = nullptr;
  std::uint64_t count = 0;
  const ElfW(Rela) * begin() const { return entries; }
  const ElfW(Rela) * end() const { return entries + count; }
};

struct ElfModule {
  std::uint64_t base = 0;  // load bias
  CodeRange range;         // all of its segments
  CodeRange code;          // those that can be executed
  CodeRange relro;         // whole pages that are read-only after relocation; empty where there is none
  const char* path = nullptr;
  // The dynamic symbol table.
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const char* own_name = nullptr;   // DT_SONAME
  std::uint32_t undefined_end = 0;  // symbols that the module needs lie before this one
  std::uint32_t end = 0;
  const ElfW(Versym) * versions = nullptr;
  const ElfW(Verneed) * needed_versions = nullptr;
  RelocationTable data_relocations;  // DT_RELA
  RelocationTable call_relocations;  // DT_JMPREL

  const char* name_of(const ElfW(Sym) & symbol) const { return names + symbol.st_name; }
  // The version that an undefined symbol is bound to; nullptr where it has none.
  const char* version_of(std::uint32_t symbol) const;
  // The file's name, which for the program itself is empty.
  const char* file_name() const;
};

// Fields that the module lacks stay empty.
ElfModule describe_module(const dl_phdr_info& info);

inline bool has_prefix(const char* text, const char* prefix) {
  while (*prefix != '\0') {
    if (*text++ != *prefix++) return false;
  }
  return true;
}

}  // namespace heddle::engine
