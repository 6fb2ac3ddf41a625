// Makes a thread read values of the tool's choice (core/trace/injection.h): each is stored just before it is
// read, as if by the thread itself, and leaves no event. The list is beside the plan (core/trace/plan.h).
#pragma once

#include "runtime/engine/execution.h"

namespace heddle::engine {

// The running thread has its turn: nobody comes before its operation.
void inject_atomic(Execution& e, const sched::PendingOperation& operation);
// A plain read is about to be made and recorded.
void inject_plain(Execution& e, Address address, std::uint64_t bytes);
// An event was recorded.
void count_injected_read(ThreadId thread, EventKind kind);

}  // namespace heddle::engine
