#include "runtime/sched/fiber.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include "core/base/raw_syscall.h"

extern "C" {
void heddle_fiber_switch(void** save_stack_pointer, void* load_stack_pointer, std::uint64_t fs_base,
                         int use_wrfsbase);
void heddle_fiber_start();
}

namespace heddle::sched {
namespace {

// HWCAP2_FSGSBASE: the kernel lets user code write the thread pointer. -1: not asked yet.
int wrfsbase_usable = -1;

bool can_write_fs_base() {
  if (wrfsbase_usable < 0) wrfsbase_usable = (getauxval(AT_HWCAP2) & 2) != 0 ? 1 : 0;
  return wrfsbase_usable == 1;
}

}  // namespace

std::uint64_t current_fs_base() {
  std::uint64_t base = 0;
  raw_syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
  return base;
}

void prepare_fiber(Fiber& fiber, void* stack_top, std::uint64_t fs_base, void (*entry)(void*),
                   void* argument) {
  auto top = reinterpret_cast<std::uint64_t>(stack_top) & ~std::uint64_t{15};
  auto* word = reinterpret_cast<std::uint64_t*>(top);
  *--word = 0;  // heddle_fiber_start calls with an aligned stack
  *--word = 0;
  *--word = reinterpret_cast<std::uint64_t>(&heddle_fiber_start);
  *--word = 0;                                          // rbp
  *--word = reinterpret_cast<std::uint64_t>(entry);     // rbx
  *--word = reinterpret_cast<std::uint64_t>(argument);  // r12
  *--word = 0;                                          // r13
  *--word = 0;                                          // r14
  *--word = 0;                                          // r15
  *--word = 0x037full << 32 | 0x1f80;                   // x87 control word, MXCSR: the ABI's defaults
  fiber.stack_pointer = word;
  fiber.fs_base = fs_base;
}

void switch_fiber(Fiber& from, const Fiber& to) {
  heddle_fiber_switch(&from.stack_pointer, to.stack_pointer, to.fs_base, can_write_fs_base() ? 1 : 0);
}

}  // namespace heddle::sched
