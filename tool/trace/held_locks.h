// Which locks a thread held at some moment, told by the events of its trace.
#pragma once

#include <set>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle {

struct HeldLock {
  Address address = 0;
  const TraceEvent* taken = nullptr;  // where; of a lock that was taken several times, the first time
  bool exclusive = true;              // a mutex, or a readers-writer lock for writing
};

// The locks of one thread, event after event. A lock that is taken again while it is held is held until it
// was given back as often. Operations that failed change nothing, and a condition wait lends its mutex for
// its time.
class LockHolder {
 public:
  // An event of the thread.
  void follow(const TraceEvent& event);
  // In the order in which they were taken.
  std::vector<HeldLock> locks() const;

 private:
  struct Counted {
    HeldLock lock;
    std::uint32_t times = 1;
    bool lent = false;
  };
  std::vector<Counted>::iterator find(Address address);
  void take(const TraceEvent& event);
  void give_back(Address address);

  std::vector<Counted> locks_;
};

// The locks that the thread of each event held before it, by their addresses.
std::vector<std::set<Address>> locks_before_each(const std::vector<TraceEvent>& events);

// The mutexes and readers-writer locks that `thread` held after event `last`, in the order in which it took
// them. Complete only where the trace has all events up to then.
std::vector<HeldLock> held_locks(const Trace& trace, ThreadId thread, EventId last);

}  // namespace heddle
