// The entries of debug information that an instruction lies in.
#pragma once

#include <elfutils/libdw.h>

#include <optional>
#include <vector>

namespace heddle {

// The functions of a compilation unit, out of line, by their code. A unit of C++ has tens of thousands of
// entries: they are gone through once, and not for each instruction.
class UnitFunctions {
 public:
  explicit UnitFunctions(Dwarf_Die& unit);
  std::optional<Dwarf_Die> at(Dwarf_Addr pc) const;

 private:
  struct Range {
    Dwarf_Addr begin, end;
    Dwarf_Addr reaches;  // the largest end of this one and of those before it
    Dwarf_Die function;
  };
  void gather(Dwarf_Die& parent, int depth);
  std::vector<Range> ranges_;  // by their beginning
};

// The function, and in it the blocks and inlined calls around an instruction: the innermost comes first.
std::vector<Dwarf_Die> scopes_at(const Dwarf_Die& function, Dwarf_Addr pc);

}  // namespace heddle
