// The history that a test of an object left in its trace (include/heddle/lin/judge.hpp), for the page.
#pragma once

#include "tool/report/json_parts.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// Null where the trace has none: it is of another program.
Json page_history(const Trace& trace);

}  // namespace heddle::report
