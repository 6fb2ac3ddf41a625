// What the threads of an execution did, by plain accesses, to memory that they share. A trace of a campaign does
// not have them: they make no choice. Who reads a report wants to see `balance`, which a mutex protects.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

// Runs the execution twice more, once to learn which memory is shared and once to see who touches it, and puts
// what it saw into `trace.accesses`, with names and source lines. The events stay as they are. Where the
// execution does not come out the same way, or takes longer than `seconds` at a guess, nothing is added: a
// report without them is still a report.
void add_shared_accesses(const run::Target& target, Trace& trace, double seconds);

}  // namespace heddle::replay
