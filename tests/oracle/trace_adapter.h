// From the events of a trace (core/trace) to an execution for the axiom checker.
#pragma once

#include <span>

#include "core/trace/event.h"
#include "tests/oracle/axioms.h"

namespace oracle {

// Atomic and volatile accesses (as relaxed atomics), fences, thread creation and join, and what mutexes,
// rwlocks, semaphores, barriers and call_once order. Every address is one location with one initial store; an
// execution that frees and reuses, or plainly re-initialises, atomic memory is not for this checker.
Execution execution_of(std::span<const heddle::Event> trace);

}  // namespace oracle
