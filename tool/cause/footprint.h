// What events do to what threads share: memory, and descriptors of sockets, pipes and files. Who asks which operations
// of an execution get into each other's way compares footprints.
#pragma once

#include <vector>

#include "tool/trace/trace.h"

namespace heddle::cause {

// begin == end: nothing.
struct Footprint {
  Address begin = 0, end = 0;
  bool writes = false;

  bool is_none() const { return begin == end; }
  bool overlaps(const Footprint& other) const { return begin < other.end && other.begin < end; }
  // Their order matters.
  bool conflicts(const Footprint& other) const { return overlaps(other) && (writes || other.writes); }
};

// Of each event, by its position. A block that is freed is written as a whole, and a call on a descriptor changes what
// is to be read or written there next.
std::vector<Footprint> footprints_of(const Trace& trace);

// A call that does not wait for others, or hardly ever: it sends, or closes.
bool is_sending_call(const Trace& trace, const TraceEvent& event);

// The execution with what threads were about to do when it ended, as far as that is known: the use of freed memory at
// which it ended, and what other threads did next in `passing`, if they came by there (nullptr: there is none).
Trace with_attempts(const Trace& failing, const Trace* passing);

}  // namespace heddle::cause
