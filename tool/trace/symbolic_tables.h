// A symbolic trace as the tool holds it: the tables of core/trace/symbolic.h, copied out of a channel and
// checked, so that every id in them can be followed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/channel.h"
#include "core/trace/symbolic.h"

namespace heddle {

struct SymbolicTables {
  std::vector<symbolic::Expression> expressions{{}};  // the first is kConcrete
  std::vector<symbolic::Record> records;
  std::vector<symbolic::Step> steps;  // where RunSpec::path_trace asked for them
  bool cut = false;                   // there was more than there was room for: nothing was kept
  std::uint32_t mismatches = 0;       // expressions that the runtime itself found wrong

  const symbolic::Expression& operator[](symbolic::ExpressionId id) const {
    return expressions[index_of(id)];
  }
  const symbolic::Record& operator[](symbolic::RecordId id) const { return records[index_of(id)]; }
};

// Empty tables where the channel has none. An error where they make no sense: the program may have written
// into them.
Result<SymbolicTables> capture_symbolic(const Channel& channel, std::uint64_t mapped_bytes);

// What is wrong with the tables, in words; empty: every operand comes before what is made of it, widths fit
// each other, and symbols and records name each other.
std::string defect_of(const SymbolicTables& tables);

}  // namespace heddle
