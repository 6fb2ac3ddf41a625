// Memory straight from the kernel. The detector lives inside the tested program, whose malloc, mmap and errno
// may all be interposed or in use, so that it goes through none of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/pages.h"

namespace heddle::race {

// Reserves zeroed address space that costs memory only where it is touched: at `fixed`, or anywhere if that
// is 0. Null when the kernel refuses or the place is taken.
inline void* reserve_memory(std::uint64_t fixed, std::size_t size) {
  const long got = map_memory(fixed, size);
  if (got < 0 && got > -4096) return nullptr;
  if (fixed != 0 && got != static_cast<long>(fixed)) {  // kernels before 4.17 take the flag for a hint
    unmap_memory(reinterpret_cast<void*>(got), size);
    return nullptr;
  }
  raw_syscall(SYS_madvise, got, size, MADV_DONTDUMP);
  return reinterpret_cast<void*>(got);
}

}  // namespace heddle::race
