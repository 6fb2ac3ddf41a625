// The debug information of one module's file. Private to the symboliser.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tool/symbols/code_scopes.h"
#include "tool/symbols/symboliser.h"
#include "tool/trace/symbols.h"
#include "tool/trace/trace.h"

namespace heddle {

class ModuleDebug {
 public:
  explicit ModuleDebug(TraceModule module) : module_(std::move(module)) {}

  const TraceModule& module() const { return module_; }
  const std::string& warning() const { return warning_; }

  // `address` lies in the instruction asked for.
  std::vector<Frame> frames(Address address);
  std::optional<DataSymbol> data(Address address, std::uint32_t size);
  std::optional<DataSymbol> local(Address code, const StackFrame& frame, Address address, std::uint32_t size);
  // named_places.cpp
  std::vector<AddressSpan> code_of_line(std::string_view file, std::uint32_t line);
  std::vector<AddressSpan> variables_named(std::string_view name);
  std::optional<DataSymbol> thread_local_data(std::uint64_t offset, std::uint32_t size);

 private:
  struct Unit {  // a compilation unit, with its split half where there is one
    Dwarf_Die skeleton;
    Dwarf_Die die;
  };
  struct UnitRange {
    Dwarf_Addr begin, end;
    std::uint32_t unit;
  };
  struct Variable {
    Dwarf_Die die;
    std::uint64_t size;
    std::uint32_t unit;
  };
  struct Symbol {  // of the ELF symbol table
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    int type = 0;
  };

  bool open();
  bool open_file(int fd);
  void index_units();
  void index_variables();
  void index_variables_in(Dwarf_Die& parent, std::uint32_t unit, int depth);
  const Unit* unit_at(Dwarf_Addr address) const;
  std::optional<Dwarf_Die> function_at(const Unit& unit, Dwarf_Addr pc);
  // Fills in what the debug information says of a variable of which byte `into` is accessed.
  void describe(DataSymbol& symbol, Dwarf_Die& variable, std::uint32_t unit, std::uint64_t into,
                std::uint32_t access_size) const;
  bool add_dwarf_frames(Address address, std::vector<Frame>& frames);
  Symbol symbol_at(Address address) const;

  TraceModule module_;
  std::string warning_;
  bool tried_ = false;
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> dwfl_{nullptr, dwfl_end};
  Dwfl_Module* dwfl_module_ = nullptr;
  Dwarf* dwarf_ = nullptr;
  Dwarf_Addr dwarf_bias_ = 0;
  std::vector<Unit> units_;
  std::vector<UnitRange> ranges_;                     // sorted
  std::map<std::uint32_t, UnitFunctions> functions_;  // of units that were asked for
  bool variables_indexed_ = false;
  std::map<Address, Variable> variables_;            // by address in the debug information
  std::map<std::uint64_t, Variable> thread_locals_;  // by offset in the module's thread-local storage
};

// The part of a variable of this type at `offset`, as it is written in the source: ".head", "[3].next", "+4".
std::string member_path(Dwarf_Die type, std::uint64_t offset, std::uint32_t access_size,
                        Dwarf_Die* member = nullptr);

// The type of a variable or member without names for it and without const and volatile.
bool plain_type_of(Dwarf_Die& die, Dwarf_Die& type);

}  // namespace heddle
