// From the events of a trace (core/trace) to an execution for the axiom checker.
#pragma once

#include <span>
#include <string>

#include "core/trace/event.h"
#include "tests/oracle/axioms.h"

namespace oracle {

// Atomic accesses, fences, thread creation and join, and what mutexes, condition variables, rwlocks,
// semaphores and call_once order. An atomic object is one location with one initial store, whatever its
// address held before (Event::location). Where accesses of different sizes overlap, and for other events that
// the model does not decide (volatile, plain), there is nothing to check.
//
// An edge of synchronisation that is left out makes the check weaker, never wrong: barriers, and whatever
// orders threads only through a program's own waiting. None is invented.
//
// REQUIRES: the trace is whole up to its end (a prefix of an execution is one, too).
Execution execution_of(std::span<const heddle::Event> trace);

// Empty, or what is wrong with a trace itself: a read of a store that is not there, a value that is not the
// one stored, a store without its place in modification order.
std::string malformed(std::span<const heddle::Event> trace);

}  // namespace oracle
