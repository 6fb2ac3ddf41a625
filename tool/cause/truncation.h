// A symbolic trace of which one thread has done less: what a thread did last may be what made another one
// fail, and then no schedule of all of it passes. Of the shorter trace one may, and how the thread goes on
// from there is seen when it is executed.
#pragma once

#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/event.h"
#include "core/trace/symbolic.h"

namespace heddle::cause {

struct TraceTables {
  std::vector<Event> events;  // EventId is the position
  std::vector<symbolic::Expression> expressions;
  std::vector<symbolic::Record> records;
};

// Without what `thread` did from event `from` on, and without what others could do only because of it
// (joining it, being created by it). None where `failed` could not have come to its failure so.
std::optional<TraceTables> truncated(TraceTables tables, ThreadId thread, EventId from, ThreadId failed);

}  // namespace heddle::cause
