// Path logs, as the program goes: what the bodies for recording (compiler/plugin/path_body.h) hand over.
//
// Each thread has a page of its own in the log, with the bits that were not written yet, and chunks of bits
// and of marks. What a signal handler does goes to a stream of its own: the code that it interrupted has bits
// in registers.
#pragma once

#include <cstdint>

#include "core/record/path_ids.h"
#include "core/record/path_state.h"
#include "runtime/record/bits_keeper.h"
#include "runtime/record/log_file.h"
#include "runtime/record/threads.h"

namespace heddle::record {

// The beginning of a chunk of kind kThread in a path log; the tool reads `entry` and `state`.
struct PathThread {
  ChunkHeader chunk;
  ThreadEntry entry;
  PathState state;
  ChunkHeader* bits = nullptr;
  ChunkHeader* marks = nullptr;
  Mark* next_mark = nullptr;
  std::uint32_t bit_chunks = 0;
  std::uint32_t mark_chunks = 0;
  PathThread* deeper = nullptr;  // the stream of signal handlers that interrupt this one
  // Up to where the words of the current chunk were counted, and their bits.
  const std::uint64_t* counted = nullptr;
  std::uint64_t counted_bits = 0;
  BitsKeeper keeper;
  PathThread* before = nullptr;  // the stream that began before this one
};
static_assert(sizeof(PathThread) <= kLogPage);

// Where threads log that nobody knows: nobody reads it.
extern PathState nowhere;

class PathLog {
 public:
  // REQUIRES: the file is open.
  void start(LogFile* file) { file_ = file; }

  // A stream for a new thread; what is logged where there is no room goes nowhere.
  PathState* new_thread(const ThreadIdentity& who, std::uint32_t signal_depth = 0);
  // A stream for a signal handler that has interrupted a thread.
  PathState* signal_stream(PathState* interrupted, int signal);

  // The chunk of bits is full.
  void next_chunk(PathState* state);
  void mark(PathState* state, StepKind kind, PlaceId place, std::uint32_t extra = 0);
  // Somebody has entered a function by its name who did not announce it, or called it through a pointer.
  // `body`: where such calls can go next time; nullptr: there is none that takes pending bits.
  void entered(PathState* state, FunctionKey key, const void* function, const void* body);
  // An indirect call has come to code without such bodies.
  void untaken(PathState* state);
  // In a forked child: from now on nothing is kept.
  void abandon(PathState* state);
  // All streams, at the end of the run.
  void seal();

 private:
  void push(PathState* state, std::uint64_t bits, unsigned count);
  void write_word(PathState* state);
  void write_to(PathThread* thread, ChunkHeader* chunk);
  // Bits of the words of the current chunk.
  static std::uint64_t bits_in_chunk(PathThread& thread);
  static PathThread* thread_of(PathState* state);
  static void to_nowhere(PathState* state);

  LogFile* file_ = nullptr;
  PathThread* latest_ = nullptr;  // all streams, from the one that began last
};

}  // namespace heddle::record
