// A schedule of the solver as a plan that an execution can follow (core/trace/plan.h).
#pragma once

#include <span>
#include <vector>

#include "core/trace/plan.h"
#include "tool/constraints/schedules.h"
#include "tool/trace/trace.h"

namespace heddle::cause {

// Departures that lead through `schedule`, whose events are those of `trace`. `weak`: reads name the stores
// that they read, too.
// `uncounted`: operations of the main thread before the first choice, which no strategy sees.
std::vector<Departure> plan_of(const Trace& trace, std::span<const constraints::Place> schedule, bool weak,
                               std::uint32_t uncounted);

// Keeps the thread of `event`, one of `trace`, from coming to it while others can run.
Hold hold_before(const Trace& trace, EventId event, std::uint32_t uncounted);

// Those up to the creation of the first thread.
std::uint32_t operations_before_threads(const Trace& trace);

}  // namespace heddle::cause
