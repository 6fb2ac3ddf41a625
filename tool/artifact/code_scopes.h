// The entries of debug information that an instruction lies in.
#pragma once

#include <elfutils/libdw.h>

#include <optional>

namespace heddle {

// The function, out of line, that has this code.
std::optional<Dwarf_Die> function_at(Dwarf_Die& unit, Dwarf_Addr pc);
// In that function, the innermost block or inlined call; the function itself where there is none.
Dwarf_Die innermost_scope(const Dwarf_Die& function, Dwarf_Addr pc);

}  // namespace heddle
