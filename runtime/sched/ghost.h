// Ghosts: real thread-local storage for fibers (cf. thread context borrowing, C11Tester §6.4).
//
// A ghost is a kernel thread that was created by libc on memory of ours and has left by the raw exit system
// call before it did anything. Its stack, its thread control block and its initialised TLS stay behind and
// belong to the fiber that takes its place: errno, pthread_self, thread_local, exceptions and libc's own
// per-thread state all work. A ghost costs about 30 µs to make, survives fork, and lies at an address that
// depends on its slot only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sched {

struct Ghost {
  std::uint64_t fs_base = 0;    // thread pointer; also its pthread_t
  void* stack_top = nullptr;    // where the fiber's frames may begin
  std::uint64_t stack_low = 0;  // first usable byte, just above the guard page
  std::uint64_t stack_bytes = 0;
  bool in_big_region = false;
};

inline constexpr std::size_t kDefaultStackBytes = 8u << 20;

// What the system did not give.
enum class GhostRefusal : std::uint8_t { kNone, kStack, kThread, kThreadsEnd };

struct GhostResult {
  GhostRefusal refusal = GhostRefusal::kNone;
  int error = 0;  // errno's value

  explicit operator bool() const { return refusal == GhostRefusal::kNone; }
};

// A ghost in `slot` with at least `stack_bytes` of stack.
GhostResult make_ghost(std::uint32_t slot, std::size_t stack_bytes, Ghost& ghost);

// Ends the execution: the system does not let heddle make what every thread of the program needs. An error of
// pthread_create would make it a failure of the program.
[[noreturn]] void stop_without_ghost(const GhostResult& result);

// Gives the ghost's control block back to libc; the slot can then be used for another one.
void release_ghost(Ghost& ghost);

// The thread id that the fiber's libc believes in: never a real one.
std::uint32_t ghost_tid(std::uint32_t slot);

}  // namespace heddle::sched
