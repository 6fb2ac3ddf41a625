// A thread that waits in a loop (a spin, a compare-exchange that is tried again) reads the same places round
// after round, until it sees what it waits for. Rounds without effect say nothing that the last one does not:
// they are left out, and one record says how many they were.
#pragma once

#include "tool/trace/symbolic_tables.h"
#include "tool/trace/trace.h"

namespace heddle::replay {

// A round is left out only where the next one does the same reads at the same places and decides the same, but
// for what ends the loop. Neither round may write or synchronise otherwise, and nothing that is kept may have
// been computed from what the round read.
SymbolicTables fold_waits(const Trace& trace, SymbolicTables tables);

}  // namespace heddle::replay
