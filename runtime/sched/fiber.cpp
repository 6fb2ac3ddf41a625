#include "runtime/sched/fiber.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include "core/base/raw_syscall.h"

extern "C" void heddle_fiber_start();

namespace heddle::sched {
namespace {

constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE

}  // namespace

std::uint64_t current_fs_base() {
  std::uint64_t base = 0;
  raw_syscall(SYS_arch_prctl, ARCH_GET_FS, &base);
  return base;
}

void prepare_fiber(Fiber& fiber, void* stack_top, std::uint64_t fs_base, void (*entry)(void*),
                   void* argument) {
  if (writes_fs_base == 0 && (getauxval(AT_HWCAP2) & kFsGsBase) != 0) writes_fs_base = 1;
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

}  // namespace heddle::sched
