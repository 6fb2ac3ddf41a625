// Fibers: a stack, a thread pointer and the registers saved while another fiber runs. All fibers of the
// program share one kernel thread (C11Tester §6.3).
#pragma once

#include <cstdint>

namespace heddle::sched {

struct Fiber {
  void* stack_pointer = nullptr;  // valid while the fiber is not running
  std::uint64_t fs_base = 0;      // its thread-local storage
};

// Prepares `fiber` to call entry(argument) on the stack that ends at `stack_top`. The entry never returns.
void prepare_fiber(Fiber& fiber, void* stack_top, std::uint64_t fs_base, void (*entry)(void*),
                   void* argument);

// Suspends `from`, which is the running one, and resumes `to`.
void switch_fiber(Fiber& from, const Fiber& to);

std::uint64_t current_fs_base();

}  // namespace heddle::sched
