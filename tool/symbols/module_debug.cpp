#include "tool/symbols/module_debug.h"

#include <dwarf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tool/base/hex.h"
#include "tool/symbols/code_scopes.h"
#include "tool/symbols/symboliser.h"

namespace heddle {
namespace {

char* debug_path = nullptr;  // libdwfl's default: beside the file, .debug/, /usr/lib/debug
const Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_build_id_find_elf,
                                   .find_debuginfo = dwfl_standard_find_debuginfo,
                                   .section_address = dwfl_offline_section_address,
                                   .debuginfo_path = &debug_path};

std::uint64_t number_attribute(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return 0;
  return dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

const char* text_attribute(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(&die, name, &attribute) == nullptr ? nullptr : dwarf_formstring(&attribute);
}

std::string absolute_path(const char* file, const char* directory) {
  if (file == nullptr) return {};
  std::string path = file[0] != '/' && directory != nullptr ? fmt::format("{}/{}", directory, file) : file;
  // "/src/build/../a.cpp" and "/src/a.cpp" are one place to people and to de-duplication.
  for (std::size_t at; (at = path.find("/./")) != std::string::npos;) path.erase(at, 2);
  for (std::size_t at; (at = path.find("/../")) != std::string::npos && at > 0;) {
    const std::size_t before = path.rfind('/', at - 1);
    if (before == std::string::npos) break;
    path.erase(before, at + 3 - before);
  }
  return path;
}

// The full name by the symbol that the linker sees; empty where the compiler gave none (internal linkage, C).
std::string linkage_name(Dwarf_Die& die) {
  for (const unsigned name : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}}) {
    if (const char* symbol = text_attribute(die, name)) return demangled(symbol);
  }
  return {};
}

// The name as declared, with the namespaces and classes around the declaration.
std::string declared_name(Dwarf_Die& die) {
  const char* name = text_attribute(die, DW_AT_name);
  if (name == nullptr) return {};
  Dwarf_Die declaration = die;
  Dwarf_Attribute reference;
  for (const unsigned to : {unsigned{DW_AT_abstract_origin}, unsigned{DW_AT_specification}}) {
    Dwarf_Die target;
    if (dwarf_attr(&declaration, to, &reference) != nullptr &&
        dwarf_formref_die(&reference, &target) != nullptr) {
      declaration = target;
    }
  }
  // Innermost first. A lambda is the operator() of a class without a name.
  std::vector<std::string> names;
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  for (int i = 0; i < count; ++i) {
    const char* scope = i == 0 ? name : text_attribute(scopes[i], DW_AT_name);
    switch (dwarf_tag(&scopes[i])) {
      case DW_TAG_namespace:
        names.emplace_back(scope != nullptr ? scope : "(anonymous namespace)");
        break;
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
        if (scope != nullptr) {
          names.emplace_back(scope);
        } else if (!names.empty() && names.back().starts_with("operator()")) {
          names.back() = "<lambda()>";
        }
        break;
      default:
        if (i == 0) names.emplace_back(name);
        if (i > 0 && scope != nullptr && dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
          names.push_back(std::string(scope) + "()");
        }
        break;
    }
  }
  std::string full;
  for (const std::string& part : names) full.insert(0, full.empty() ? part : part + "::");
  std::free(scopes);
  return full.empty() ? name : full;
}

std::string file_name(Dwarf_Die& unit, std::uint64_t number, const char* directory) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return {};
  return absolute_path(dwarf_filesrc(files, number, nullptr, nullptr), directory);
}

}  // namespace

bool ModuleDebug::open() {
  if (tried_) return dwfl_module_ != nullptr;
  tried_ = true;
  const int fd = ::open(module_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about = {};
  if (fd < 0 || ::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    if (fd >= 0) ::close(fd);
    // The kernel's vdso has a name but no file; nobody misses its symbols.
    if (module_.path.find("vdso") == std::string::npos) {
      warning_ = fmt::format("No symbols of {}: the file cannot be read.", module_.path);
    }
    return false;
  }
  if (open_file(fd)) return true;
  dwfl_module_ = nullptr;
  dwfl_.reset();
  return false;
}

bool ModuleDebug::open_file(int fd) {
  dwfl_.reset(dwfl_begin(&kCallbacks));
  if (!dwfl_) {
    ::close(fd);
    return false;
  }
  dwfl_report_begin(dwfl_.get());
  dwfl_module_ = dwfl_report_elf(dwfl_.get(), "module", module_.path.c_str(), fd, module_.base, true);
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  if (dwfl_module_ == nullptr) {
    ::close(fd);
    warning_ = fmt::format("No symbols of {}: {}.", module_.path, dwfl_errmsg(-1));
    return false;
  }
  GElf_Addr elf_bias = 0;
  if (dwfl_module_getelf(dwfl_module_, &elf_bias) == nullptr) return false;
  const unsigned char* id = nullptr;
  GElf_Addr where = 0;
  const int id_size = dwfl_module_build_id(dwfl_module_, &id, &where);
  if (!module_.build_id.empty() &&
      (id_size <= 0 ||
       to_hex({reinterpret_cast<const char*>(id), static_cast<std::size_t>(id_size)}) != module_.build_id)) {
    warning_ = fmt::format("No symbols of {}: the file has changed since it ran.", module_.path);
    return false;
  }
  dwarf_ = dwfl_module_getdwarf(dwfl_module_, &dwarf_bias_);
  if (dwarf_ != nullptr) index_units();
  return true;
}

// Our own map from addresses to units: clang writes no .debug_aranges, on which libdw's own lookup relies.
void ModuleDebug::index_units() {
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version;
  std::uint8_t type;
  Dwarf_Die die, split;
  while (dwarf_get_units(dwarf_, unit, &unit, &version, &type, &die, &split) == 0) {
    if (type == DW_UT_type || type == DW_UT_split_type || type == DW_UT_partial) continue;
    const auto number = static_cast<std::uint32_t>(units_.size());
    units_.push_back({die, type == DW_UT_skeleton && split.cu != nullptr ? split : die});
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
      if (begin < end) ranges_.push_back({begin, end, number});
    }
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
}

const ModuleDebug::Unit* ModuleDebug::unit_at(Dwarf_Addr address) const {
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                [](Dwarf_Addr a, const UnitRange& r) { return a < r.begin; });
  if (after == ranges_.begin()) return nullptr;
  --after;
  return address < after->end ? &units_[after->unit] : nullptr;
}

bool ModuleDebug::add_dwarf_frames(Address address, std::vector<Frame>& frames) {
  const Dwarf_Addr pc = address - dwarf_bias_;
  const Unit* unit = dwarf_ != nullptr ? unit_at(pc) : nullptr;
  if (unit == nullptr) return false;
  Dwarf_Die skeleton = unit->skeleton;
  const char* directory = text_attribute(skeleton, DW_AT_comp_dir);

  Frame place;  // of the innermost activation; each step outward goes on at the call
  if (Dwarf_Line* line = dwarf_getsrc_die(&skeleton, pc)) {
    int number = 0, column = 0;
    dwarf_lineno(line, &number);
    dwarf_linecol(line, &column);
    place.file = absolute_path(dwarf_linesrc(line, nullptr, nullptr), directory);
    place.line = static_cast<std::uint32_t>(std::max(number, 0));
    place.column = static_cast<std::uint32_t>(std::max(column, 0));
  }
  const auto function = function_at(*unit, pc);
  if (!function) return false;
  bool complete = false;
  for (Dwarf_Die& scope : scopes_at(*function, pc)) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    complete = tag == DW_TAG_subprogram;
    Frame frame = place;
    frame.function = linkage_name(scope);
    if (frame.function.empty() && complete) frame.function = symbol_at(address).name;
    if (frame.function.empty()) frame.function = declared_name(scope);
    frame.function_line = static_cast<std::uint32_t>(number_attribute(scope, DW_AT_decl_line));
    frame.inlined = !complete;
    frames.push_back(std::move(frame));
    place.file = file_name(skeleton, number_attribute(scope, DW_AT_call_file), directory);
    place.line = static_cast<std::uint32_t>(number_attribute(scope, DW_AT_call_line));
    place.column = static_cast<std::uint32_t>(number_attribute(scope, DW_AT_call_column));
  }
  if (!complete) frames.clear();
  return complete;
}

std::optional<Dwarf_Die> ModuleDebug::function_at(const Unit& unit, Dwarf_Addr pc) {
  const auto index = static_cast<std::uint32_t>(&unit - units_.data());
  auto functions = functions_.find(index);
  if (functions == functions_.end()) {
    Dwarf_Die die = unit.die;
    functions = functions_.emplace(index, UnitFunctions(die)).first;
  }
  return functions->second.at(pc);
}

ModuleDebug::Symbol ModuleDebug::symbol_at(Address address) const {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(dwfl_module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || (symbol.st_size != 0 && offset >= symbol.st_size)) return {};
  return {demangled(name), offset, symbol.st_size, GELF_ST_TYPE(symbol.st_info)};
}

std::vector<Frame> ModuleDebug::frames(Address address) {
  std::vector<Frame> frames;
  if (open()) {
    if (!add_dwarf_frames(address, frames)) frames.assign(1, {});
    const Symbol symbol = symbol_at(address);
    if (frames.back().function.empty()) frames.back().function = symbol.name;
    if (!symbol.name.empty()) frames.back().function_offset = symbol.offset + 1;
  } else {
    frames.assign(1, {});
  }
  for (Frame& frame : frames) {
    frame.module = module_.path;
    frame.offset = address + 1 - module_.base;
  }
  return frames;
}

void ModuleDebug::index_variables_in(Dwarf_Die& parent, std::uint32_t unit, int depth) {
  Dwarf_Die die;
  if (depth > 32 || dwarf_child(&parent, &die) != 0) return;
  do {
    switch (dwarf_tag(&die)) {
      case DW_TAG_namespace:
      case DW_TAG_subprogram:  // variables that are static in a function
      case DW_TAG_lexical_block:
        index_variables_in(die, unit, depth + 1);
        break;
      case DW_TAG_variable: {
        Dwarf_Attribute location, indirect;
        Dwarf_Op* ops = nullptr;
        std::size_t count = 0;
        Dwarf_Addr address = 0;
        if (dwarf_attr(&die, DW_AT_location, &location) == nullptr ||
            dwarf_getlocation(&location, &ops, &count) != 0 || count == 0) {
          break;
        }
        const bool is_thread_local = count == 2 && (ops[1].atom == DW_OP_GNU_push_tls_address ||
                                                    ops[1].atom == DW_OP_form_tls_address);
        if (count != 1 && !is_thread_local) break;
        if (ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_const8u || ops[0].atom == DW_OP_const4u) {
          address = ops[0].number;
        } else if ((ops[0].atom != DW_OP_addrx && ops[0].atom != DW_OP_constx) ||
                   dwarf_getlocation_attr(&location, ops, &indirect) != 0 ||
                   dwarf_formaddr(&indirect, &address) != 0) {
          break;
        }
        Dwarf_Die type;
        Dwarf_Word size = 0;
        if (!plain_type_of(die, type) || dwarf_aggregate_size(&type, &size) != 0) break;
        if (is_thread_local) {
          thread_locals_.try_emplace(address, Variable{die, size, unit});
          break;
        }
        if (ops[0].atom != DW_OP_addr && ops[0].atom != DW_OP_addrx) break;
        variables_.try_emplace(address, Variable{die, size, unit});
        break;
      }
      default:
        break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

void ModuleDebug::index_variables() {
  if (variables_indexed_) return;
  variables_indexed_ = true;
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) index_variables_in(units_[unit].die, unit, 0);
}

void ModuleDebug::describe(DataSymbol& symbol, Dwarf_Die& variable, std::uint32_t unit_index,
                           std::uint64_t into, std::uint32_t access_size) const {
  Dwarf_Die type;
  if (symbol.variable.empty()) symbol.variable = linkage_name(variable);
  if (symbol.variable.empty()) symbol.variable = declared_name(variable);
  symbol.name = symbol.variable;
  // Of an object the member is what one wants to see declared, if that is in the same unit's files.
  Dwarf_Die declared = variable, member{}, of_variable, of_member;
  if (plain_type_of(variable, type)) symbol.name += member_path(type, into, access_size, &member);
  if (member.addr != nullptr && dwarf_diecu(&member, &of_member, nullptr, nullptr) != nullptr &&
      dwarf_diecu(&variable, &of_variable, nullptr, nullptr) != nullptr &&
      of_member.addr == of_variable.addr && dwarf_hasattr(&member, DW_AT_decl_line))
    declared = member;
  // Not dwarf_decl_file(), which ends the process on some split units (elfutils 0.188).
  Dwarf_Die unit = units_[unit_index].skeleton;
  symbol.file =
      file_name(unit, number_attribute(declared, DW_AT_decl_file), text_attribute(unit, DW_AT_comp_dir));
  symbol.line = static_cast<std::uint32_t>(number_attribute(declared, DW_AT_decl_line));
}

std::optional<DataSymbol> ModuleDebug::data(Address address, std::uint32_t size) {
  if (!open()) return std::nullopt;
  DataSymbol found;
  found.module = module_.path;
  found.offset = address - module_.base;
  const Symbol symbol = symbol_at(address);
  const bool is_data =
      symbol.offset < symbol.size && (symbol.type == STT_OBJECT || symbol.type == STT_NOTYPE);
  if (is_data) {
    found.variable = symbol.name;
    found.start = address - symbol.offset;
    found.size = symbol.size;
  }
  index_variables();
  auto variable = variables_.upper_bound(address - dwarf_bias_);
  if (variable != variables_.begin()) {
    --variable;
    const std::uint64_t into = address - dwarf_bias_ - variable->first;
    Dwarf_Die type;
    if (into < variable->second.size && plain_type_of(variable->second.die, type)) {
      found.start = address - into;
      found.size = variable->second.size;
      describe(found, variable->second.die, variable->second.unit, into, size);
      return found;
    }
  }
  if (!is_data) return std::nullopt;
  found.name = symbol.offset == 0 ? found.variable : fmt::format("{}+{}", found.variable, symbol.offset);
  return found;
}

}  // namespace heddle
