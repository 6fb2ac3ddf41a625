// Which happens-before clock a descriptor's traffic goes through: who writes or closes releases it, who reads
// acquires it.
#pragma once

#include <cstdint>

namespace heddle::engine {

class DescriptorClocks {
 public:
  // A pipe has a clock of its own; all sockets share one, and so does everything else: an edge too many hides
  // a race at the worst, one too few would invent one. ThreadSanitizer does the same.
  std::uint32_t& of(int descriptor);

 private:
  static constexpr std::uint32_t kClocks = 1024;
  struct Entry {
    std::uint64_t object = 0;  // made of a pipe's inode; 0: free
    std::uint32_t clock = 0;
  } entries_[kClocks];
};

}  // namespace heddle::engine
