// From names to addresses: the code of a source line, and global variables.
#include <dwarf.h>

#include <algorithm>

#include "tool/symbols/module_debug.h"

namespace heddle {
namespace {

// Is "src/queue.cpp" the end of "/home/me/src/queue.cpp", at the border of a folder?
bool is_end_of(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

// "config" is the last name of "service::config".
bool is_name_of(std::string_view full, std::string_view name) {
  if (!full.ends_with(name)) return false;
  return full.size() == name.size() || full.substr(0, full.size() - name.size()).ends_with("::");
}

}  // namespace

std::vector<AddressSpan> ModuleDebug::code_of_line(std::string_view file, std::uint32_t line) {
  std::vector<AddressSpan> spans;
  if (!open() || dwarf_ == nullptr) return spans;
  for (Unit& unit : units_) {
    Dwarf_Lines* rows = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&unit.skeleton, &rows, &count) != 0) continue;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      Dwarf_Line* row = dwarf_onesrcline(rows, i);
      int number = 0;
      bool is_end = false;
      Dwarf_Addr begin = 0, end = 0;
      if (dwarf_lineno(row, &number) != 0 || number != static_cast<int>(line)) continue;
      if (dwarf_lineendsequence(row, &is_end) != 0 || is_end) continue;
      const char* source = dwarf_linesrc(row, nullptr, nullptr);
      if (source == nullptr || !is_end_of(source, file)) continue;
      if (dwarf_lineaddr(row, &begin) != 0 || dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &end) != 0)
        continue;
      if (begin < end) spans.push_back({begin + dwarf_bias_, end + dwarf_bias_});
    }
  }
  return spans;
}

std::vector<AddressSpan> ModuleDebug::variables_named(std::string_view name) {
  std::vector<AddressSpan> spans;
  if (!open()) return spans;
  index_variables();
  for (auto& [address, variable] : variables_) {
    DataSymbol symbol;
    describe(symbol, variable.die, variable.unit, 0, 0);
    if (variable.size != 0 && is_name_of(symbol.variable, name))
      spans.push_back({address + dwarf_bias_, address + dwarf_bias_ + variable.size});
  }
  if (!spans.empty()) return spans;
  const int count = dwfl_module_getsymtab(dwfl_module_);
  for (int i = 1; i < count; ++i) {
    GElf_Sym about;
    GElf_Addr address = 0;
    const char* symbol =
        dwfl_module_getsym_info(dwfl_module_, i, &about, &address, nullptr, nullptr, nullptr);
    if (symbol == nullptr || GELF_ST_TYPE(about.st_info) != STT_OBJECT || about.st_size == 0) continue;
    if (is_name_of(demangled(symbol), name)) spans.push_back({address, address + about.st_size});
  }
  return spans;
}

std::vector<AddressSpan> Symboliser::code_of_line(std::string_view file, std::uint32_t line) {
  std::vector<AddressSpan> all;
  for (const auto& module : modules_) {
    for (const AddressSpan& span : module->code_of_line(file, line)) all.push_back(span);
  }
  return all;
}

std::vector<AddressSpan> Symboliser::variables_named(std::string_view name) {
  std::vector<AddressSpan> all;
  for (const auto& module : modules_) {
    for (const AddressSpan& span : module->variables_named(name)) all.push_back(span);
  }
  return all;
}

}  // namespace heddle
