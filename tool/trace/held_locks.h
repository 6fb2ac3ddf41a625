// Which locks a thread held at some moment, told by the events of its trace.
#pragma once

#include <vector>

#include "tool/trace/trace.h"

namespace heddle {

struct HeldLock {
  Address address = 0;
  const TraceEvent* taken = nullptr;  // where; of a lock that was taken several times, the first time
  bool exclusive = true;              // a mutex, or a readers-writer lock for writing
};

// The mutexes and readers-writer locks that `thread` held after event `last`, in the order in which it took
// them. Complete only where the trace has all events up to then.
std::vector<HeldLock> held_locks(const Trace& trace, ThreadId thread, EventId last);

}  // namespace heddle
