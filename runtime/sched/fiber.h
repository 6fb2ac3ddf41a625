// Fibers: a stack, a thread pointer and the registers saved while another fiber runs. All fibers of the
// program share one kernel thread (C11Tester §6.3).
#pragma once

#include <cstdint>

extern "C" void heddle_fiber_switch(void** save_stack_pointer, void* load_stack_pointer,
                                    std::uint64_t fs_base, int use_wrfsbase);

namespace heddle::sched {

struct Fiber {
  void* stack_pointer = nullptr;  // valid while the fiber is not running
  std::uint64_t fs_base = 0;      // its thread-local storage
};

// Prepares `fiber` to call entry(argument) on the stack that ends at `stack_top`. The entry never returns.
void prepare_fiber(Fiber& fiber, void* stack_top, std::uint64_t fs_base, void (*entry)(void*),
                   void* argument);

// Does the kernel let user code write the thread pointer? Found out with the first fiber that is prepared.
inline int writes_fs_base = 0;

// Suspends `from`, which is the running one, and resumes `to`.
inline void switch_fiber(Fiber& from, const Fiber& to) {
  heddle_fiber_switch(&from.stack_pointer, to.stack_pointer, to.fs_base, writes_fs_base);
}

std::uint64_t current_fs_base();

}  // namespace heddle::sched
