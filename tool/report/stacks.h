// The places of a finding with their stacks, in the shape that ThreadSanitizer's users know:
//
//     Write of size 4 at 0x555555558010 by thread T1:
//       #0 increment() race.cpp:8:11 (race+0x11a9)
//          8 |   ++counter;
#pragma once

#include <string>

#include "tool/report/names.h"
#include "tool/report/text.h"

namespace heddle::report {

// In full with Detail::kAll. Else the places that decide, without frames of libraries and test frameworks.
std::string stacks_text(const Trace& trace, const TraceFinding& finding, const TextOptions& options,
                        Names& names);

}  // namespace heddle::report
