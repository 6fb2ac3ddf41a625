// What makes two findings the same bug: kind and places, by function, file and line within the function.
// Addresses, threads' numbers, order of discovery and directories do not count, so a fingerprint is the same
// in every campaign, on every machine, and after edits outside the functions concerned.
#pragma once

#include <string>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle {

// The parts that make a finding what it is: both accesses of a race, the waiting threads of a deadlock, the
// failing place of the rest.
std::vector<const TracePart*> deciding_parts(const TraceFinding& finding);

// 16 hexadecimal digits.
std::string fingerprint(const Trace& trace, const TraceFinding& finding);

// The bug that a trace is about is its first finding: the one with this fingerprint, if it has it.
void put_first(Trace& trace, const std::string& wanted);

}  // namespace heddle
