// What a debugger needs to know of an execution with events: where its fibers are, and when to stop. The
// commands that use it are in share/heddle/gdb/heddle.py.
//
// The debugger writes what it waits for into the struct and sets a breakpoint at
// heddle_runtime_debugger_stop; the runtime calls that before the event, at the thread switch or at the
// finding that was asked for. Nothing here is a choice, so breakpoints do not change the schedule.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "runtime/sched/scheduler.h"

extern "C" {

struct HeddleDebugger {
  std::uint32_t version;
  // Written by the debugger.
  std::uint32_t stop_event;      // stop before the first event with at least this number
  std::uint32_t stop_at_switch;  // stop before the first event of another thread than stop_at_switch - 1
  std::uint32_t stop_at_finding;
  // Where the execution is.
  std::uint32_t event;    // the next one
  std::uint32_t thread;   // whose it is
  std::uint32_t finding;  // kind of the finding that is being reported; 0: none
  // The table of threads: `count` records of `stride` bytes from `threads` on, and offsets in each.
  const void* threads;
  const std::uint32_t* count;
  const std::uint16_t* current;
  std::uint32_t stride;
  std::uint32_t stack_pointer_at, thread_pointer_at, state_at, wait_at, wait_object_at, name_at, last_pc_at;
};

extern HeddleDebugger heddle_runtime_debugger;
void heddle_runtime_debugger_stop();
}

namespace heddle::engine {

void show_to_debugger(const sched::Scheduler& scheduler);

// The next event is `event`, of this thread.
inline void about_to_record(EventId event, ThreadId thread) {
  HeddleDebugger& d = heddle_runtime_debugger;
  d.event = index_of(event);
  d.thread = index_of(thread);
  const bool switched = d.stop_at_switch != 0 && d.stop_at_switch != index_of(thread) + 1;
  if (d.event >= d.stop_event || switched) heddle_runtime_debugger_stop();
}

void about_to_report(std::uint32_t kind);

}  // namespace heddle::engine
