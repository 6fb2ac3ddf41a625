#include "runtime/sched/fiber.h"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include "core/base/raw_syscall.h"

extern "C" void heddle_fiber_start();

namespace heddle::sched {
namespace {

constexpr unsigned long kFsGsBase = 2;  // HWCAP2_FSGSBASE

// As heddle_fiber_switch saves it: MXCSR, the x87 control word, the x87 status word.
std::uint64_t floating_point_environment() {
  std::uint32_t mxcsr = 0;
  std::uint16_t control = 0;
  std::uint16_t status = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(mxcsr), "=m"(control), "=m"(status));
  return std::uint64_t{status} << 48 | std::uint64_t{control} << 32 | mxcsr;
}

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
  *--word = floating_point_environment();               // the creator's (C11 7.6p2, POSIX pthread_create)
  fiber.stack_pointer = word;
  fiber.fs_base = fs_base;
}

}  // namespace heddle::sched
