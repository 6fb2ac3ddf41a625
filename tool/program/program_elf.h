// One ELF file as the loader and the linker see it. The file is the user's and may be anything, so nothing in
// it is believed: every offset, size and index goes through libelf's checked accessors or our own, and what
// does not fit is as if it were not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

struct Elf;  // libelf's

namespace heddle {

struct ElfSymbol {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool is_defined = false;
  bool is_function = false;
  bool is_file = false;  // STT_FILE: the name is a source file's
};

// The bytes of one executable section, at the address where they run. They live as long as the ElfFile.
struct CodeRange {
  std::uint64_t address = 0;
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
};

struct DynamicInfo {
  std::vector<std::string> needed;
  std::string soname;
  std::string rpath;    // DT_RPATH
  std::string runpath;  // DT_RUNPATH
  bool says_pie = false;
};

class ElfFile {
 public:
  // An error if the file cannot be read or is no ELF file at all.
  static Result<ElfFile> open(const std::string& path);
  ElfFile(ElfFile&&) noexcept;
  ElfFile& operator=(ElfFile&&) noexcept;
  ~ElfFile();

  bool is_64_bit() const;
  std::uint16_t machine() const;  // EM_…
  std::uint16_t type() const;     // ET_…
  bool has_interpreter() const;   // PT_INTERP: the kernel starts the dynamic loader for it
  DynamicInfo dynamic() const;

  // .symtab where there is one, and .dynsym after it.
  std::vector<ElfSymbol> symbols() const;
  // The symbol that the loader writes to each slot of the global offset table, by the slot's address.
  std::map<std::uint64_t, std::string> got_slots() const;
  std::vector<CodeRange> code() const;

  bool has_section(std::string_view name) const;  // present and with content in the file
  std::string section_text(std::string_view name) const;
  std::string build_id() const;  // in hexadecimal, or empty

  Elf* handle() const { return elf_; }

 private:
  ElfFile(int fd, Elf* elf) : fd_(fd), elf_(elf) {}
  std::optional<std::uint64_t> file_offset(std::uint64_t address) const;
  void read_symbols(std::uint32_t section_type, std::vector<ElfSymbol>& out) const;

  int fd_ = -1;
  Elf* elf_ = nullptr;
};

}  // namespace heddle
