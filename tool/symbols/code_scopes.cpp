#include "tool/symbols/code_scopes.h"

#include <dwarf.h>

#include <algorithm>

namespace heddle {
namespace {

constexpr int kMostNested = 64;

}  // namespace

UnitFunctions::UnitFunctions(Dwarf_Die& unit) {
  gather(unit, 0);
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [](const Range& a, const Range& b) { return a.begin < b.begin; });
  Dwarf_Addr reaches = 0;
  for (Range& range : ranges_) range.reaches = reaches = std::max(reaches, range.end);
}

// dwarf_getscopes looks only below entries that have code themselves. clang puts a function among the entries
// of its namespace, and of the class that a local one belongs to: those have none.
void UnitFunctions::gather(Dwarf_Die& parent, int depth) {
  Dwarf_Die die;
  if (depth > kMostNested || dwarf_child(&parent, &die) != 0) return;
  do {
    switch (dwarf_tag(&die)) {
      case DW_TAG_subprogram: {
        Dwarf_Addr base = 0, begin = 0, end = 0;
        for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
          ranges_.push_back({begin, end, end, die});
        break;
      }
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        gather(die, depth + 1);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

std::optional<Dwarf_Die> UnitFunctions::at(Dwarf_Addr pc) const {
  auto range = std::upper_bound(ranges_.begin(), ranges_.end(), pc,
                                [](Dwarf_Addr wanted, const Range& r) { return wanted < r.begin; });
  while (range != ranges_.begin()) {
    --range;
    if (range->reaches <= pc) break;
    if (pc < range->end) return range->function;
  }
  return std::nullopt;
}

std::vector<Dwarf_Die> scopes_at(const Dwarf_Die& function, Dwarf_Addr pc) {
  std::vector<Dwarf_Die> scopes = {function};
  for (int depth = 0; depth < kMostNested; ++depth) {
    Dwarf_Die die;
    bool found = false;
    for (int at = dwarf_child(&scopes.back(), &die); at == 0 && !found;
         at = found ? 0 : dwarf_siblingof(&die, &die)) {
      const int tag = dwarf_tag(&die);
      found = (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
               tag == DW_TAG_catch_block) &&
              dwarf_haspc(&die, pc) > 0;
    }
    if (!found) break;
    scopes.push_back(die);
  }
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

}  // namespace heddle
