// PCTWM's Algorithm 2 once more, transcribed from the paper line by line and kept apart from the runtime:
// judges whether an execution is one that the algorithm can produce.
#pragma once

#include <span>
#include <string>

#include "core/trace/event.h"

namespace oracle {

struct PctwmVerdict {
  std::string error;         // empty: the algorithm can have produced it
  std::size_t local = 0;     // reads from the thread's view
  std::size_t forced = 0;    // reads that had to take the nearest allowed store after the one in the view
  std::size_t external = 0;  // reads that a reordered event made
};

// Each read is from the thread's view or, for at most d of them, from one of the h latest stores. Where the
// store in the view may not be read any more (by the axioms), the nearest one after it that may be is read. A
// thread that reads from outside runs last: whoever has anything left to do then stands at a communication
// event.
//
// REQUIRES: each location is written by one thread, without updates, so that its modification order is the
// order of execution; the trace is whole.
PctwmVerdict check_pctwm(std::span<const heddle::Event> trace, unsigned d, unsigned h);

}  // namespace oracle
