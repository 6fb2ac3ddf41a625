// The process's own memory: which regions it has, and which of their pages were touched, as the kernel tells
// it.
#pragma once

#include <cstdint>

#include "core/base/address_space.h"

namespace heddle::session {

struct Region {
  std::uint64_t begin;
  std::uint64_t end;
  bool file_backed;
};

// Writes the private writable regions into `regions`, lowest first, and answers how many there are; 0 where
// /proc/self/maps cannot be read or has more than `most`.
std::uint32_t read_writable_regions(Region* regions, std::uint32_t most);

// The ioctl PAGEMAP_SCAN of /proc/self/pagemap (Linux 6.7; Debian 12's headers do not have it yet).
struct PageRange {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t categories;
};

namespace page_is {
inline constexpr std::uint64_t kTracked = 1u << 0;  // in a region whose writes userfaultfd tracks
inline constexpr std::uint64_t kWritten = 1u << 1;
inline constexpr std::uint64_t kPresent = 1u << 3;
inline constexpr std::uint64_t kSwapped = 1u << 4;
}  // namespace page_is

class PageScanner {
 public:
  // False: the kernel has no such ioctl.
  bool open();
  void close();

  // Pages of [begin, end) that are in memory or swapped out and have all categories of `mask`. Goes on from
  // where the last call stopped when called again with `begin` = *next; negative: the kernel refused.
  long scan(std::uint64_t begin, std::uint64_t end, std::uint64_t mask, PageRange* ranges, std::uint32_t most,
            std::uint64_t* next) const;
  // Write-protects the pages of [begin, end) that were written, so that they count as not written from here
  // on.
  bool protect(std::uint64_t begin, std::uint64_t end) const;

 private:
  int descriptor_ = -1;
};

// Moves a descriptor of ours out of the way of the program's, whose numbers must not depend on us.
int move_descriptor_up(long descriptor);

}  // namespace heddle::session
