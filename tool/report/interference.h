// Who came between whom: the accesses of shared memory that turned an execution into a failing one.
//
// A failure such as a failed assertion says where it was seen. The cause is elsewhere: a thread accessed a
// variable twice and took both for one step, and another thread accessed it in between. Lu et al. (AVIO, ASPLOS
// 2006, table 1) list the four such triples that no order of whole steps explains. Switches that minimising found
// to be critical tell which triple matters.
#pragma once

#include <optional>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::report {

// The moment of an event, from 1; 0 is before all of them.
inline std::uint64_t time_of(EventId event) {
  return event == kNoEvent ? 0 : index_of(event) + std::uint64_t{1};
}

// An access of memory that several threads touch, by an atomic operation or by plain code.
struct SharedAccess {
  EventId event = kNoEvent;  // the operation; of a plain access the last event before it
  ThreadId thread = kNoThread;
  std::uint64_t pc = 0;
  StackId stack = kEmptyStack;
  Address address = 0;
  std::uint32_t size = 0;
  std::uint64_t value = 0;  // read, or else written
  bool reads = false;
  bool writes = false;
  bool is_atomic = false;
  const TraceAccess* plain = nullptr;  // of the trace; nullptr: an operation, which is an event
};

// All of them, in the order of time.
std::vector<SharedAccess> shared_accesses(const Trace& trace);

struct Interference {
  SharedAccess first, between, second;  // first and second by one thread, on one variable
  Address released = 0;                 // a lock that was held at both, and not all the time between; 0: none
};

// The triple that most likely is the cause of a failure; nothing where there is none in the user's code.
std::optional<Interference> interference(const Trace& trace, const TraceFinding& finding);

// The last access of shared memory by the failing thread before it failed, in the user's code.
std::optional<SharedAccess> last_shared_read(const Trace& trace, const TraceFinding& finding);

// What the thread of a critical switch had done last before it was stopped, in the user's code. Of several
// switches the last.
struct Stop {
  ThreadId thread = kNoThread;
  ThreadId to = kNoThread;
  std::uint64_t pc = 0;
  StackId stack = kEmptyStack;
};
std::optional<Stop> critical_stop(const Trace& trace);

}  // namespace heddle::report
