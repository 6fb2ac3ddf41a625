// Faults of widespread libraries that heddle finds through the programs that use them: the user is told that
// the program is not to blame.
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace heddle::report {

struct KnownFault {
  std::string library;
  std::string advice;
};

// nullptr: none that we know of.
const KnownFault* known_fault(const Trace& trace, const TraceFinding& finding);

}  // namespace heddle::report
