// How the element recorder lays its data out in chunks of a log (log_format.h). It is written in place
// through the shared mapping of the file, so that a run that is killed leaves all but the access under way.
//
// Every access of a thread to an element is a read that saw a version (how many writes the element had had)
// or a write that made one. So the order of all writes is known, and where between them each read comes; the
// order of reads of one version says nothing, and is not kept. Accesses between which nobody else wrote are a
// run: it keeps only how many reads and writes follow each other, and how often that pattern repeats.
#pragma once

#include <cstdint>

namespace heddle::record {

// ChunkKind::kElements, for each module: how many elements it has of this kind of log, how many of them were
// chosen, and their ids; words of eight bytes. The index of an element is its place in all such chunks, in
// their order. ChunkKind::kSlots, of a thread: one ElementSlot for each index, the latest run of each
// element. ChunkKind::kVectors, of a thread: the runs before it, as tokens; a word with the number of bytes
// that are valid goes before them.

// A line of cache for each thread and element.
struct alignas(64) ElementSlot {
  std::uint64_t version;    // that the thread's latest access left
  std::uint64_t start;      // version that the thread's run began with
  std::uint64_t told;       // version after the latest token
  std::uint64_t reads;      // the pair under way: so many reads,
  std::uint64_t writes;     // and so many writes after them
  std::uint64_t run_reads;  // the pair before it,
  std::uint64_t run_writes;
  std::uint64_t repeats;  // that came so often in a row
};
static_assert(sizeof(ElementSlot) == 64);

// What a thread logs of a block: that it was entered, and when. Versions say in which order threads entered one
// block, and nothing of several blocks. The times order entries of different blocks. Ticks are of the
// processor's clock, from when recording began.
struct alignas(64) BlockSlot {
  std::uint64_t version;
  std::uint64_t start;
  std::uint64_t told;
  std::uint64_t entries;    // of the run
  std::uint64_t began;      // ticks at the run's first entry
  std::uint64_t latest;     // ticks at the run's last entry
  std::uint64_t told_time;  // ticks at the last entry of the latest token
  std::uint64_t unused;
};
static_assert(sizeof(BlockSlot) == sizeof(ElementSlot));

// Elements that come later, with modules that are loaded while a thread runs, have further chunks of slots:
// all of a thread's chunks, each with as many slots as fit into its pages, are one table.

// A token: index of the element; how far its first version lies after the end of the thread's last token for
// the element; reads << 2 | kWrites | kRepeats; writes, where there are any; repeats, where kRepeats says so.
// Of a block: index; how far its first version lies after the end of the thread's last token for the block;
// entries; ticks from the last entry of that token to the first of this one; and from there to its last.
// All in bytes of seven bits, the lowest first, with 0x80 where more follow. What the three kinds of chunk
// hold begins so far into them: slots are lines of cache.
inline constexpr std::uint32_t kElementPayload = 64;

inline constexpr std::uint64_t kTokenWrites = 1;
inline constexpr std::uint64_t kTokenRepeats = 2;
inline constexpr std::uint32_t kMostTokenBytes = 5 * 10;

}  // namespace heddle::record
