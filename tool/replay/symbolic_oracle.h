// The oracle of symbolic traces: from the values that were read alone, every expression comes to the value
// that the program had.
#pragma once

#include <string>

#include "tool/trace/symbolic_tables.h"
#include "tool/trace/trace.h"

namespace heddle::replay {

// The first value that comes out otherwise, in words; empty: none. REQUIRES: defect_of(tables) is empty.
std::string first_wrong_value(const SymbolicTables& tables);

// The first record of an access that its event tells otherwise; empty: none.
std::string first_wrong_access(const Trace& trace, const SymbolicTables& tables);

}  // namespace heddle::replay
