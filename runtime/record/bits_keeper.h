// What becomes of a thread's full chunks of words: their bits, without gaps and packed where that pays, are
// gathered in a chunk of parts, which is written to the file as a whole when it is full. That chunk is
// mapped like all others: what is in it is there after the process was killed.
#pragma once

#include <cstdint>

#include "core/record/log_format.h"
#include "runtime/record/log_file.h"

namespace heddle::record {

// Bytes of a chunk of words at most: leaves the program most of the processor's first cache.
inline constexpr std::uint32_t kWordsChunk = 16 << 10;

// A thread's own; it lies in the log, and begins as zeros.
class BitsKeeper {
 public:
  // The words of a full chunk, from behind its header to `end`; adds how many bits they have to `bits`.
  // False: there is no room.
  bool keep(LogFile& file, const ChunkHeader& full, const std::uint64_t* end, std::uint64_t& bits);
  // No more will come.
  void seal();
  // In a forked child, which has no log.
  void forget() { parts_ = nullptr; }

 private:
  struct Packed {
    ChunkKind kind;
    std::uint32_t bytes;
  };
  bool has_room_for(LogFile& file, const ChunkHeader& full, std::uint32_t bytes);
  Packed pack(const std::uint64_t* from, const std::uint64_t* to, unsigned char* out, std::uint64_t& bits);

  ChunkHeader* parts_ = nullptr;
  std::uint32_t chunks_ = 0;  // of parts
  std::uint32_t kept_ = 0;    // chunks of words
  // Full chunks that are not tried to make smaller, since that was in vain, and how many more after that.
  std::uint32_t untried_ = 0;
  std::uint32_t patience_ = 0;
};

}  // namespace heddle::record
