#include "runtime/engine/debugger.h"

#include <cstddef>

extern "C" {

[[gnu::visibility("default")]] HeddleDebugger heddle_runtime_debugger = {
    1, ~0u, 0, 0, ~0u, 0, 0, nullptr, nullptr, nullptr, 0, 0, 0, 0, 0, 0, 0, 0};

[[gnu::visibility("default"), gnu::noinline]] void heddle_runtime_debugger_stop() {
  asm volatile("" ::: "memory");
}
}

namespace heddle::engine {

void show_to_debugger(const sched::Scheduler& scheduler) {
  using sched::Thread;
  HeddleDebugger& d = heddle_runtime_debugger;
  d.threads = scheduler.all_threads();
  d.count = scheduler.count_place();
  d.current = reinterpret_cast<const std::uint16_t*>(scheduler.current_place());
  d.stride = sizeof(Thread);
  d.stack_pointer_at = offsetof(Thread, fiber) + offsetof(sched::Fiber, stack_pointer);
  d.thread_pointer_at = offsetof(Thread, fiber) + offsetof(sched::Fiber, fs_base);
  d.state_at = offsetof(Thread, state);
  d.wait_at = offsetof(Thread, wait);
  d.wait_object_at = offsetof(Thread, wait_object);
  d.name_at = offsetof(Thread, name);
  d.last_pc_at = offsetof(Thread, last_pc);
  // The execution begins: `event` says so.
  heddle_runtime_debugger_stop();
}

void about_to_report(std::uint32_t kind) {
  HeddleDebugger& d = heddle_runtime_debugger;
  d.finding = kind;
  if (d.stop_at_finding != 0) heddle_runtime_debugger_stop();
  d.finding = 0;
}

}  // namespace heddle::engine
