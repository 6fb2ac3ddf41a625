// What one thread learned from another, told by the events of a trace.
#pragma once

#include <optional>
#include <vector>

#include "tool/report/interference.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// A load that read a store of another thread.
struct Message {
  const TraceEvent* store = nullptr;
  const TraceEvent* load = nullptr;
};

// The last store that `from` made after event `sent` and that `to` has read before event `seen`, where the two
// operations do not synchronise: the commonest reason for a race between threads that use atomics. Nothing where
// there is none.
std::optional<Message> message_without_order(const Trace& trace, ThreadId from, EventId sent, ThreadId to,
                                             EventId seen);

// The write that made the condition true that a thread waits for in vain: of what the waiter had read before it
// waited, the last write by another thread, in the user's code.
std::optional<SharedAccess> predicate_write(const Trace& trace, const TracePart& waiter);

}  // namespace heddle::report
