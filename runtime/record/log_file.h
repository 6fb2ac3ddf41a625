// The log's file: mapped as a whole and shared, so that what was written to it is there whatever happens to
// the process. It grows to its limit at most; what a thread has finished leaves the process' memory.
//
// Thread-safety: new_chunk may be called by any thread, and in signal handlers; the rest by one at a time.
#pragma once

#include <cstdint>

#include "core/base/text_buffer.h"
#include "core/record/log_format.h"
#include "runtime/record/options.h"

namespace heddle::record {

class LogFile {
 public:
  // False: it cannot be made; `error` is the kernel's.
  bool start(const Options& options, const char* program, long& error);

  LogHeader* header() const { return header_; }
  bool is_open() const { return header_ != nullptr; }

  // `bytes`: with the header, rounded up to whole pages. nullptr: the limit is reached, or the disk is full.
  ChunkHeader* new_chunk(std::uint32_t thread, ChunkKind kind, std::uint32_t sequence, std::uint32_t bytes);
  // A sealed chunk with the thread, stream and sequence of another, elsewhere in the file: by system calls,
  // which take a fraction of what fresh pages of a mapping take. False: as for new_chunk.
  bool keep(const ChunkHeader& like, ChunkKind kind, const void* content, std::uint32_t used);
  // No more will be written to it.
  static void seal(ChunkHeader* chunk, std::uint32_t used);
  // All chunks are sealed: the file ends where they do.
  void finish();
  // In a child: the mapping's place stays, with private memory; what it shares with the parent does not.
  // `keep`: a page that stays as it is.
  void abandon(void* keep);

 private:
  // open_file() and map_file() return 0 or the kernel's error.
  long open_file(const Options& options, const char* program, TextBuffer<768>& path);
  long map_file();
  long take_room(std::uint64_t at, std::uint32_t bytes) const;
  // Where; 0: the limit is reached.
  std::uint64_t reserve(std::uint32_t bytes);

  LogHeader* header_ = nullptr;
  std::uint64_t capacity_ = 0;
  int file_ = -1;
};

}  // namespace heddle::record
