// Memory straight from the kernel, at addresses that we choose: replay needs the same addresses every time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/address_space.h"
#include "core/base/check.h"

namespace heddle {

inline constexpr std::size_t kPageSize = 4096;

// The fixed map of what the runtime puts into the tested program's address space. Programs, libraries and the
// kernel's stack are elsewhere (0x55…, 0x7f…).
namespace address_map {
inline constexpr std::uint64_t kHeap = 0x6000'0000'0000;  // the program's malloc, 1 TB
inline constexpr std::uint64_t kHeapEnd = 0x6100'0000'0000;
inline constexpr std::uint64_t kFiberStacks = 0x6100'0000'0000;  // one slot per thread
inline constexpr std::uint64_t kFiberStackStride = 0x100'0000;   // 16 MB
inline constexpr std::uint64_t kMainStack = 0x6170'0000'0000;    // main's own stack
inline constexpr std::uint64_t kMainStackEnd = kMainStack + (64u << 20);
inline constexpr std::uint64_t kBigStacks =
    0x6180'0000'0000;  // threads that asked for more than a slot holds
inline constexpr std::uint64_t kCallStacks = 0x6200'0000'0000;  // shadow call stacks, one per thread
inline constexpr std::uint64_t kFreedBits = 0x6400'0000'0000;   // one bit for 16 bytes of the heap, 8 GB
inline constexpr std::uint64_t kRuntime = 0x6300'0000'0000;     // the runtime's own tables
inline constexpr std::uint64_t kSession = 0x6500'0000'0000;     // what outlives an execution, 256 GB
inline constexpr std::uint64_t kSessionEnd = 0x6540'0000'0000;
}  // namespace address_map

// Zeroed pages at `address`, reserved lazily. REQUIRES: nothing of ours is mapped there.
inline void* map_pages_at(std::uint64_t address, std::size_t bytes, int protection = PROT_READ | PROT_WRITE) {
  const long result = map_memory(address, bytes, protection);
  return result == static_cast<long>(address) ? reinterpret_cast<void*>(result) : nullptr;
}

inline void* map_pages(std::size_t bytes) {
  const long result = map_memory(0, bytes);
  HEDDLE_CHECK(result > 0 || result < -4095);
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
