// The axiom checker on executions of real programs.
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace oracle {

struct TraceVerdict {
  std::string error;        // empty: consistent, or not to be judged
  std::string not_judged;   // why: another model, a program that was killed before its end
  std::size_t events = 0;   // that were checked
  std::size_t atomics = 0;  // of these, atomic accesses and fences
};

// The first `most_events` events of the execution: the order of execution agrees with happens-before and
// reads-from, so a prefix is consistent if the whole is.
TraceVerdict check_trace(const heddle::Trace& trace, std::size_t most_events = 1500);

}  // namespace oracle
