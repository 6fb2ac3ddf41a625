// A finding of every kind, as the runtime would report it.
#pragma once

#include "tool/trace/trace.h"

namespace heddle::report {

// Kinds whose report has nothing of its own share one sample, with this message.
inline constexpr const char* kGenericMessage = "what the program or the library says of it";

Trace sample_finding(FindingKind kind);

// Message passing with a stale read: two threads, atomics, an assertion that fails.
Trace message_passing();

}  // namespace heddle::report
