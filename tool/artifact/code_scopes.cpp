#include "tool/artifact/code_scopes.h"

#include <dwarf.h>

namespace heddle {
namespace {

constexpr int kMostNested = 64;

// dwarf_getscopes looks only below entries that have code themselves. clang puts a function among the entries
// of its namespace, and of the class that a local one belongs to: those have none.
std::optional<Dwarf_Die> find_function(Dwarf_Die& parent, Dwarf_Addr pc, int depth) {
  Dwarf_Die die;
  if (depth > kMostNested || dwarf_child(&parent, &die) != 0) return std::nullopt;
  do {
    switch (dwarf_tag(&die)) {
      case DW_TAG_subprogram:
        if (dwarf_haspc(&die, pc) > 0) return die;
        break;
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        if (auto found = find_function(die, pc, depth + 1)) return found;
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
  return std::nullopt;
}

}  // namespace

std::optional<Dwarf_Die> function_at(Dwarf_Die& unit, Dwarf_Addr pc) { return find_function(unit, pc, 0); }

Dwarf_Die innermost_scope(const Dwarf_Die& function, Dwarf_Addr pc) {
  Dwarf_Die innermost = function;
  for (int depth = 0; depth < kMostNested; ++depth) {
    Dwarf_Die die;
    bool found = false;
    for (int at = dwarf_child(&innermost, &die); at == 0 && !found;
         at = found ? 0 : dwarf_siblingof(&die, &die)) {
      const int tag = dwarf_tag(&die);
      found = (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
               tag == DW_TAG_catch_block) &&
              dwarf_haspc(&die, pc) > 0;
    }
    if (!found) break;
    innermost = die;
  }
  return innermost;
}

}  // namespace heddle
