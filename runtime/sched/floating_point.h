// The floating-point environment of the running thread: rounding, exception masks and exception flags.
#pragma once

#include <cstdint>

namespace heddle::sched {

// The program's signal handler runs with the initial environment, and its thread goes on with its own: what
// the kernel does for a handler that it calls (arch/x86, "starts with the new fpu state"). A handler that is
// left by a jump leaves the thread with what it set, as it would natively.
class InitialFloatingPoint {
 public:
  InitialFloatingPoint() {
    constexpr std::uint32_t kInitial = 0x1f80;
    asm volatile("stmxcsr %0\n\tfnstenv %1\n\tfninit\n\tldmxcsr %2"
                 : "=m"(mxcsr_), "=m"(x87_)
                 : "m"(kInitial));
  }
  ~InitialFloatingPoint() { asm volatile("fldenv %0\n\tldmxcsr %1" : : "m"(x87_), "m"(mxcsr_)); }
  InitialFloatingPoint(const InitialFloatingPoint&) = delete;
  InitialFloatingPoint& operator=(const InitialFloatingPoint&) = delete;

 private:
  struct X87Environment {
    std::uint32_t words[7];
  };
  std::uint32_t mxcsr_;
  X87Environment x87_;
};

}  // namespace heddle::sched
