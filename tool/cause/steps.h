// The events of two executions as the steps of a projection: only what touches something that threads share,
// with the same names for the same threads, variables and steps in both.
#pragma once

#include <map>
#include <vector>

#include "tool/cause/projection.h"
#include "tool/trace/trace.h"

namespace heddle::cause {

struct Steps {
  std::vector<Step> steps;
  std::vector<const TraceEvent*> events;  // of each step
};

struct AlignedSteps {
  Steps failing;
  Steps passing;
};

// Threads correspond by whose how manieth child they are, the steps of a thread by the places in the program
// that it came through: what only one of the executions did has no counterpart.
AlignedSteps align(const Trace& failing, const Trace& passing);

// The same event of the same execution, where another trace of it has more events or fewer; kNoEvent: it has not got it.
EventId counterpart_of(const Trace& trace, EventId event, const Trace& other);

// Of one execution.
Steps steps_of(const Trace& trace);

// The store that each read of `trace` read, by position in trace.events; kNoStep: none in the trace. Plain
// reads read what was last written, whoever did it.
std::vector<std::uint32_t> sources_of(const Trace& trace);
// What was in memory at first, byte by byte, as far as somebody read it.
void learn_initial(const Trace& trace, std::map<Address, std::uint8_t>& initial);

}  // namespace heddle::cause
