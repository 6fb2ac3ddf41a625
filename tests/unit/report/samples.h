// A finding of every kind, as the runtime would report it.
#pragma once

#include "tool/trace/trace.h"

namespace heddle::report {

Trace sample_finding(FindingKind kind);

// Message passing with a stale read: two threads, atomics, an assertion that fails.
Trace message_passing();

}  // namespace heddle::report
