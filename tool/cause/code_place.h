// Where an event happened, for rules: as many callers as it takes to reach the user's code.
#pragma once

#include "core/trace/enforcement.h"
#include "tool/trace/trace.h"

namespace heddle::cause {

CodePlace place_of(const Trace& trace, const TraceEvent& event);
CodePlace place_of(const Trace& trace, std::uint64_t pc, StackId stack);

}  // namespace heddle::cause
