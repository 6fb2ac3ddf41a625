// Memory straight from the kernel, at addresses that we choose: replay needs the same addresses every time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/address_space.h"
#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/base/limit.h"

namespace heddle {

inline constexpr std::size_t kPageSize = 4096;

// The fixed map of what the runtime puts into the tested program's address space. Programs, libraries and the
// kernel's stack are elsewhere (0x55…, 0x7f…).
//
// Places that every execution touches lie together, and so does their shadow. A fork pays more for a page of
// page tables than for a page of data, and there is one for each 2 MB, 1 GB and 512 GB of addresses in use.
// The stacks of the first threads, main's and the heap's begin are in one gigabyte; what is used of a stack
// lies next to its shadow call stack, main's next to the heap as well.
namespace address_map {
inline constexpr std::uint64_t kKilobyte = 1024, kMegabyte = 1024 * kKilobyte, kGigabyte = 1024 * kMegabyte;
inline constexpr std::uint64_t kBegin = 0x6000'0000'0000;
inline constexpr std::uint64_t kHeapBytes = 1024 * kGigabyte;
inline constexpr std::uint64_t kHole = kPageSize;  // between neighbours: who runs over an end shall fault

inline constexpr std::uint64_t kFreedBits = kBegin;                 // one bit for 16 bytes of the heap, 8 GB
inline constexpr std::uint64_t kSession = kBegin + 16 * kGigabyte;  // what outlives an execution
inline constexpr std::uint64_t kSessionEnd = kBegin + 32 * kGigabyte;

// One slot for each thread, the first one's last. At its end the shadow call stack, before that the stack.
inline constexpr std::uint64_t kFiberSlot = 16 * kMegabyte;
inline constexpr std::uint64_t kCallStackBytes = kMegabyte;
inline constexpr std::uint64_t kFiberSlotsEnd = kBegin + 96 * kGigabyte + 512 * kMegabyte;
inline constexpr std::uint64_t kFiberSlots = kFiberSlotsEnd - kMaxThreads * kFiberSlot;
constexpr std::uint64_t fiber_call_stack(std::uint32_t slot) {
  return kFiberSlotsEnd - slot * kFiberSlot - kCallStackBytes;
}
constexpr std::uint64_t fiber_stack_end(std::uint32_t slot) { return fiber_call_stack(slot) - kHole; }
inline constexpr std::uint64_t kMostFiberStack = kFiberSlot - kCallStackBytes - kHole;

inline constexpr std::uint64_t kMainStack = kFiberSlotsEnd + 512 * kKilobyte;  // main's own stack
inline constexpr std::uint64_t kMainStackEnd = kMainStack + 64 * kMegabyte;
inline constexpr std::uint64_t kMainCallStack = kMainStackEnd + kHole;
inline constexpr std::uint64_t kHeap =
    kMainStackEnd + kCallStackBytes + 64 * kKilobyte;  // the program's malloc
inline constexpr std::uint64_t kHeapEnd = kHeap + kHeapBytes;
inline constexpr std::uint64_t kBigStacks = 0x6180'0000'0000;  // threads that ask for more than a slot holds
inline constexpr std::uint64_t kBigStacksEnd = kBigStacks + 1024 * kGigabyte;
static_assert(kFreedBits + kHeapBytes / 128 <= kSession && kSessionEnd <= kFiberSlots);
static_assert(kMainCallStack + kCallStackBytes + kHole <= kHeap && kHeapEnd <= kBigStacks);
}  // namespace address_map

// Zeroed pages at `address`, reserved lazily. REQUIRES: nothing of ours is mapped there.
inline void* map_pages_at(std::uint64_t address, std::size_t bytes, int protection = PROT_READ | PROT_WRITE) {
  const long result = map_memory(address, bytes, protection);
  return result == static_cast<long>(address) ? reinterpret_cast<void*>(result) : nullptr;
}

inline void* map_pages(std::size_t bytes) {
  const long result = map_memory(0, bytes);
  if (result <= 0 && result >= -4095)
    limit_reached("address space for what heddle keeps of an execution",
                  "Raise it (ulimit -v), or run fewer "
                  "workers (-j) and shorter executions.");
  return reinterpret_cast<void*>(result);
}

// Zeroed pages that this process shares with those that it will start.
inline void* map_shared_pages(std::size_t bytes) {
  const long result = raw_syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  HEDDLE_CHECK(result > 0 || result < -4095);
  return reinterpret_cast<void*>(result);
}

}  // namespace heddle
