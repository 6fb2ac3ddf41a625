// What minimising has left of an execution, in words.
#pragma once

#include <string>

#include "tool/report/names.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// "12 switches (3 preemptions), 2 stale reads, 140 events"
std::string size_text(const TraceSize& size);

// Before and after, and each departure that is left; empty where the execution was not minimised.
std::string minimised_text(const Trace& trace, Names& names);
std::string minimised_text(const Trace& trace);

}  // namespace heddle::report
