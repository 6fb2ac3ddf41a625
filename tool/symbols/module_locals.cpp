// Variables that live in a thread: those of a function's frame, and thread-local ones.
#include <dwarf.h>

#include "tool/symbols/code_scopes.h"
#include "tool/symbols/module_debug.h"

namespace heddle {
namespace {

constexpr unsigned kFramePointer = 6;  // DWARF's numbers of rbp and rsp
constexpr unsigned kStackPointer = 7;

// What a register holds in the body of a function; only those that frames are found by.
std::optional<Address> register_value(unsigned number, const StackFrame& frame) {
  if (number == kStackPointer) return frame.stack_pointer;
  if (number == kFramePointer) return frame.canonical - 16;  // below it: the return address, the caller's rbp
  return std::nullopt;
}

// Where a location of one operation is. `base` is the function's frame base.
std::optional<Address> evaluate(const Dwarf_Op* ops, std::size_t count, const StackFrame& frame,
                                std::optional<Address> base) {
  if (count != 1) return std::nullopt;
  const unsigned atom = ops[0].atom;
  if (atom == DW_OP_fbreg && base) return *base + ops[0].number;
  if (atom == DW_OP_call_frame_cfa) return frame.canonical;
  if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) return register_value(atom - DW_OP_reg0, frame);
  if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
    if (const auto value = register_value(atom - DW_OP_breg0, frame)) return *value + ops[0].number;
  }
  return std::nullopt;
}

std::optional<Address> frame_base(Dwarf_Die& function, Dwarf_Addr pc, const StackFrame& frame) {
  Dwarf_Attribute attribute;
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr ||
      dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1) < 1) {
    return std::nullopt;
  }
  return evaluate(ops, count, frame, std::nullopt);
}

// Where the variable begins, if it holds the address. All its places are tried, not only the one at the pc:
// optimised code keeps a value in two places, and its slot in the frame does not move.
std::optional<Address> start_of(Dwarf_Die& variable, std::uint64_t size, Address address,
                                const StackFrame& frame, std::optional<Address> base) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  Dwarf_Addr list_base = 0, begin = 0, end = 0;
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  for (std::ptrdiff_t at = 0;
       (at = dwarf_getlocations(&attribute, at, &list_base, &begin, &end, &ops, &count)) > 0;) {
    const auto start = evaluate(ops, count, frame, base);
    if (start && address >= *start && address - *start < size) return start;
  }
  return std::nullopt;
}

struct Search {
  const StackFrame& frame;
  Dwarf_Addr pc;
  bool only_scopes_of_pc;
  std::optional<Address> base;
  Address address;
  Dwarf_Die found;
  Address start = 0;
  std::uint64_t size = 0;
};

// Blocks and inlined functions share the frame of the function around them.
bool find_variable(Dwarf_Die& parent, Search& search, int depth) {
  Dwarf_Die die;
  if (depth > 64 || dwarf_child(&parent, &die) != 0) return false;
  do {
    switch (dwarf_tag(&die)) {
      case DW_TAG_lexical_block:
      case DW_TAG_inlined_subroutine:
        if (search.only_scopes_of_pc && dwarf_haspc(&die, search.pc) <= 0) break;
        if (find_variable(die, search, depth + 1)) return true;
        break;
      case DW_TAG_variable:
      case DW_TAG_formal_parameter: {
        Dwarf_Die type;
        Dwarf_Word size = 0;
        if (!plain_type_of(die, type) || dwarf_aggregate_size(&type, &size) != 0) break;
        const auto start = start_of(die, size, search.address, search.frame, search.base);
        if (!start) break;
        search.found = die;
        search.start = *start;
        search.size = size;
        return true;
      }
      default:
        break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
  return false;
}

}  // namespace

std::optional<DataSymbol> ModuleDebug::local(Address code, const StackFrame& frame, Address address,
                                             std::uint32_t access_size) {
  if (!open()) return std::nullopt;
  const Dwarf_Addr pc = code - dwarf_bias_;
  const Unit* unit = unit_at(pc);
  if (unit == nullptr) return std::nullopt;
  auto function = function_at(*unit, pc);
  if (!function) return std::nullopt;
  // Variables of blocks that are not left and entered at the same time may share a slot: what is in scope
  // comes first. Scopes of optimised code have gaps, so the others are asked, too.
  Search search{frame, pc, true, frame_base(*function, pc, frame), address, {}, 0, 0};
  if (!find_variable(*function, search, 0)) {
    search.only_scopes_of_pc = false;
    if (!find_variable(*function, search, 0)) return std::nullopt;
  }
  DataSymbol symbol;
  symbol.module = module_.path;
  symbol.start = search.start;
  symbol.size = search.size;
  if (const char* name = dwarf_diename(&search.found)) symbol.variable = name;
  describe(symbol, search.found, static_cast<std::uint32_t>(unit - units_.data()), address - search.start,
           access_size);
  return symbol;
}

std::optional<DataSymbol> ModuleDebug::thread_local_data(std::uint64_t offset, std::uint32_t access_size) {
  if (!open()) return std::nullopt;
  index_variables();
  auto variable = thread_locals_.upper_bound(offset);
  if (variable == thread_locals_.begin()) return std::nullopt;
  --variable;
  const std::uint64_t into = offset - variable->first;
  if (into >= variable->second.size) return std::nullopt;
  DataSymbol symbol;
  symbol.module = module_.path;
  symbol.size = variable->second.size;
  describe(symbol, variable->second.die, variable->second.unit, into, access_size);
  return symbol;
}

}  // namespace heddle
