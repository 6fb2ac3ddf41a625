// Memory straight from the kernel. The detector lives inside the tested program, whose malloc, mmap and errno
// may all be interposed or in use, so that it goes through none of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::race {

inline long raw_syscall(long number, long a, long b, long c, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

inline constexpr std::size_t kPageSize = 4096;

// Reserves zeroed address space that costs memory only where it is touched: at `fixed`, or anywhere if that
// is 0. Null when the kernel refuses or the place is taken.
inline void* reserve_memory(std::uint64_t fixed, std::size_t size) {
  constexpr long kMmap = 9, kReadWrite = 3, kPrivateAnonymousNoreserve = 0x2 | 0x20 | 0x4000;
  constexpr long kFixedNoreplace = 0x100000, kMadvise = 28, kMunmap = 11, kDontDump = 16;
  const long flags = kPrivateAnonymousNoreserve | (fixed != 0 ? kFixedNoreplace : 0);
  const long got =
      raw_syscall(kMmap, static_cast<long>(fixed), static_cast<long>(size), kReadWrite, flags, -1, 0);
  if (got < 0 && got > -4096) return nullptr;
  if (fixed != 0 && got != static_cast<long>(fixed)) {  // kernels before 4.17 take the flag for a hint
    raw_syscall(kMunmap, got, static_cast<long>(size), 0);
    return nullptr;
  }
  raw_syscall(kMadvise, got, static_cast<long>(size), kDontDump);
  return reinterpret_cast<void*>(got);
}

inline void unmap_memory(void* begin, std::size_t size) {
  raw_syscall(11, reinterpret_cast<long>(begin), static_cast<long>(size), 0);
}

// Gives the pages back; they read as zero afterwards. REQUIRES: page-aligned.
inline void discard_memory(void* begin, std::size_t size) {
  constexpr long kMadvise = 28, kDontNeed = 4;
  raw_syscall(kMadvise, reinterpret_cast<long>(begin), static_cast<long>(size), kDontNeed);
}

}  // namespace heddle::race
