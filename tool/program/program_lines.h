// From an address of a program to its source line and its compilation unit, by the file's own DWARF.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tool/program/program_elf.h"

struct Dwarf;  // libdw's

namespace heddle {

class SourceLines {
 public:
  explicit SourceLines(const ElfFile& file);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  // Whether any code is described. An empty unit, such as g++'s libtsan_preinit.o brings along, is not
  // enough.
  bool covers_code() const { return !ranges_.empty(); }

  struct Place {
    std::string file;
    int line = 0;
  };
  std::optional<Place> place(std::uint64_t address) const;
  // A number that is the same for all code of one source file's compilation.
  std::optional<std::uint64_t> unit(std::uint64_t address) const;

 private:
  struct UnitRange {
    std::uint64_t low, high;
    std::uint64_t unit;  // offset of the unit's entry in .debug_info
  };
  const UnitRange* find(std::uint64_t address) const;

  Dwarf* dwarf_ = nullptr;
  std::vector<UnitRange> ranges_;
};

}  // namespace heddle
