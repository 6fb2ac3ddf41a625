// An access in words: "atomic write", "write (destruction of a mutex)".
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace heddle::report {

// Says what the memory sees, and in brackets what the program did.
std::string access_text(const TracePart& part);

}  // namespace heddle::report
