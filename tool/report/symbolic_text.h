// A symbolic trace for people: for each thread what it read and wrote of shared memory, by which expressions,
// and which branches these decided.
#pragma once

#include <string>

#include "tool/trace/symbolic_tables.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// "(r3 + 1)": r3 is what record 3 read. Deep ones are cut.
std::string expression_text(const SymbolicTables& tables, symbolic::ExpressionId id);

std::string symbolic_text(const Trace& trace, const SymbolicTables& tables);

}  // namespace heddle::report
