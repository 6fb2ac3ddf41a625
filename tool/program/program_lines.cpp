#include "tool/program/program_lines.h"

#include <algorithm>

#include <dwarf.h>
#include <elfutils/libdw.h>

namespace heddle {
namespace {

constexpr std::size_t kMaxRanges = 1u << 20;

// libdw 0.188 takes strings of these sections up to their NUL without looking where the section ends.
bool strings_end(const ElfFile& file) {
  for (const char* name : {".debug_str", ".debug_line_str", ".zdebug_str", ".zdebug_line_str"}) {
    const std::string text = file.section_text(name);  // decompressed in place by libdw
    if (!text.empty() && text.back() != '\0') return false;
  }
  return true;
}

}  // namespace

SourceLines::SourceLines(const ElfFile& file)
    : dwarf_(dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr)) {
  if (dwarf_ == nullptr || !strings_end(file)) return;
  // Unit by unit rather than by .debug_aranges, which clang does not write.
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  std::uint8_t unit_type = 0;
  while (ranges_.size() < kMaxRanges &&
         dwarf_get_units(dwarf_, unit, &unit, nullptr, &unit_type, &die, nullptr) == 0) {
    if (unit_type != DW_UT_compile && unit_type != DW_UT_partial) continue;
    Dwarf_Addr base = 0, low = 0, high = 0;
    std::ptrdiff_t next = 0;
    while (ranges_.size() < kMaxRanges && (next = dwarf_ranges(&die, next, &base, &low, &high)) > 0) {
      if (low < high) ranges_.push_back({low, high, dwarf_dieoffset(&die)});
    }
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
}

SourceLines::~SourceLines() { dwarf_end(dwarf_); }

const SourceLines::UnitRange* SourceLines::find(std::uint64_t address) const {
  auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](std::uint64_t value, const UnitRange& range) { return value < range.low; });
  if (after == ranges_.begin()) return nullptr;
  const UnitRange& range = *std::prev(after);
  return address < range.high ? &range : nullptr;
}

std::optional<std::uint64_t> SourceLines::unit(std::uint64_t address) const {
  const UnitRange* range = find(address);
  return range != nullptr ? std::optional(range->unit) : std::nullopt;
}

std::optional<SourceLines::Place> SourceLines::place(std::uint64_t address) const {
  const UnitRange* range = find(address);
  Dwarf_Die die;
  if (range == nullptr || dwarf_offdie(dwarf_, range->unit, &die) == nullptr) return std::nullopt;
  Dwarf_Line* line = dwarf_getsrc_die(&die, address);
  if (line == nullptr) return std::nullopt;
  Place place;
  const char* file = dwarf_linesrc(line, nullptr, nullptr);
  if (file == nullptr || dwarf_lineno(line, &place.line) != 0) return std::nullopt;
  place.file = file;
  return place;
}

}  // namespace heddle
