// Changes that the runtime makes to the address space, and a journal of them.
//
// While an execution is to be undone in process (runtime/session/snapshot.h), memory contents are put back
// page by page; what was mapped or given back since the snapshot has to be known as well.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>

#include "core/base/raw_syscall.h"

namespace heddle {

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;

  static AddressRange between(const void* begin, const void* end) {
    return {reinterpret_cast<std::uint64_t>(begin),
            static_cast<std::uint64_t>(static_cast<const char*>(end) - static_cast<const char*>(begin))};
  }
};

struct AddressSpaceJournal {
  static constexpr std::uint32_t kMost = 128;

  AddressRange mapped[kMost];
  AddressRange discarded[kMost];
  std::uint32_t mapped_count = 0;
  std::uint32_t discarded_count = 0;
  bool huge_pages = false;  // allowed since
  bool complete = true;     // false: something happened that the journal cannot undo

  void note(AddressRange* list, std::uint32_t& count, std::uint64_t begin, std::uint64_t bytes) {
    if (count == kMost) {
      complete = false;
    } else {
      list[count++] = {begin, bytes};
    }
  }
  void clear() {
    mapped_count = discarded_count = 0;
    huge_pages = false;
    complete = true;
  }
};

// Null while nothing is to be undone.
inline AddressSpaceJournal* address_space_journal = nullptr;

// Zeroed pages, reserved lazily: at `address`, where nothing may be mapped, or anywhere if that is 0. The
// result is the kernel's: an address or -errno.
inline long map_memory(std::uint64_t address, std::size_t bytes, int protection = PROT_READ | PROT_WRITE) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address != 0 ? MAP_FIXED_NOREPLACE : 0);
  const long result = raw_syscall(SYS_mmap, address, bytes, protection, flags, -1, 0);
  AddressSpaceJournal* journal = address_space_journal;
  if (journal != nullptr && (result > 0 || result < -4095))
    journal->note(journal->mapped, journal->mapped_count, static_cast<std::uint64_t>(result), bytes);
  return result;
}

inline void unmap_memory(void* begin, std::size_t bytes) {
  if (address_space_journal != nullptr) address_space_journal->complete = false;
  raw_syscall(SYS_munmap, begin, bytes);
}

// Gives pages back; they read as zero afterwards. REQUIRES: page-aligned.
inline void discard_memory(void* begin, std::size_t bytes) {
  AddressSpaceJournal* journal = address_space_journal;
  if (journal != nullptr) {
    journal->note(journal->discarded, journal->discarded_count, reinterpret_cast<std::uint64_t>(begin),
                  bytes);
  }
  if (raw_syscall(SYS_madvise, begin, bytes, MADV_DONTNEED) == 0) return;
  // Where the system denies it: fresh pages in their place, which a reset cannot take back.
  if (journal != nullptr) journal->complete = false;
  raw_syscall(SYS_mmap, begin, bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

// Pages of two megabytes make much memory fast to touch and slow to put back: a session begins without them.
inline void forbid_huge_pages() { raw_syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0); }
inline void allow_huge_pages() {
  if (address_space_journal != nullptr) {
    if (address_space_journal->huge_pages) return;
    address_space_journal->huge_pages = true;
  }
  raw_syscall(SYS_prctl, PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

}  // namespace heddle
