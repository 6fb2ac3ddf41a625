// Shadow memory: one 32-bit StateId for each aligned 8-byte word of the program, at a place that is a linear
// function of the word's address. The whole lower half of the x86-64 address space (2^47 bytes) is covered,
// so that any pointer the program can use has a cell: 64 TB of reserved address space, between where non-PIE
// programs live and where the kernel puts PIE programs (0x5555…), that costs memory only where it is touched.
//
// A chunk is 256 cells: 1 KB of shadow, 2 KB of the program. Cells of a chunk that nobody touched are all
// kVirgin. Touching one first registers the chunk: its cells become kEmpty, or what untouched.h knows of
// them, and it is put on a list, which is all that has to be visited to reset or collect. No cell of a
// registered chunk is kVirgin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/address_space.h"
#include "core/base/ids.h"

namespace heddle::race {

// What is remembered of a word: an index into the state table (state_table.h).
using StateId = std::uint32_t;
inline constexpr StateId kVirgin = 0;
inline constexpr StateId kEmpty = 1;
inline constexpr StateId kFirstState = 2;
inline constexpr StateId kNoState = ~0u;  // in no cell
// Set in the id of a state that is in one cell only and in no memo but as a step that changes nothing: it may
// be changed where it lies.
inline constexpr StateId kOwned = 1u << 31;
constexpr bool is_owned(StateId id) { return (id & kOwned) != 0; }

class Shadow {
 public:
  static constexpr std::uint64_t kBase = 0x110000000000;
  static constexpr std::uint32_t kUnusedBits = 17;  // of an address
  static constexpr std::uint64_t kAddressMask = ~0ull >> kUnusedBits;
  static constexpr std::size_t kSize = 1ull << 46;
  static constexpr std::uint32_t kChunkCells = 256;
  static constexpr std::uint32_t kChunkBytes = kChunkCells * 8;  // of the program
  static constexpr std::size_t kMaxChunks = 1ull << 27;          // 256 GB of touched program memory

  constexpr Shadow() = default;
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // Wild pointers outside the lower half are folded into it, by the shift to the left: the program's own
  // access will fault, not ours.
  static StateId* cell_of(Address address) {
    return reinterpret_cast<StateId*>(kBase) + (address << kUnusedBits >> (kUnusedBits + 3));
  }
  static Address address_of(const StateId* cell) {
    return static_cast<Address>(cell - reinterpret_cast<const StateId*>(kBase)) * 8;
  }
  static StateId* chunk_of(StateId* cell) {
    return reinterpret_cast<StateId*>(reinterpret_cast<std::uint64_t>(cell) &
                                      ~(kChunkCells * sizeof(StateId) - 1));
  }
  static bool is_chunk_begin(const StateId* cell) {
    return (reinterpret_cast<std::uint64_t>(cell) & (kChunkCells * sizeof(StateId) - 1)) == 0;
  }

  // False when the address space cannot be had: taken, or limited by ulimit -v or strict overcommit.
  bool map();
  void unmap();

  // Puts the chunk on the list; the caller fills its cells. REQUIRES: the chunk is not registered.
  void register_unfilled(StateId* chunk);

  // Moves `cell`, in steps of whole chunks, to the first one before `end` in a registered chunk, or to `end`.
  // Takes time proportional to the registered chunks, nearly nothing for the others.
  StateId* skip_virgin(StateId* cell, StateId* end);

  std::size_t chunk_count() const { return chunk_count_; }
  // Memory whose contents nobody will read before they are written.
  AddressRange spare_memory() const {
    return AddressRange::between(chunks_ + chunk_count_, chunks_ + kMaxChunks);
  }
  std::size_t cell_count() const { return chunk_count_ * kChunkCells; }

  // Forgets everything. Few chunks are emptied in place, which costs no page faults later; many are given
  // back.
  void reset();

  // Calls visit(StateId&) for each cell of each registered chunk.
  template <typename Visit>
  void for_each_cell(Visit visit) {
    for (std::size_t i = 0; i < chunk_count_; ++i) {
      StateId* chunk = chunk_at(chunks_[i]);
      for (std::uint32_t j = 0; j < kChunkCells; ++j) visit(chunk[j]);
    }
  }

  // Sets `count` cells to `value`.
  static void fill(StateId* cells, std::size_t count, StateId value);

  // Replaces `from` by `to` in the longest prefix of the `count` cells that holds only `from`; returns its
  // length.
  static std::size_t replace_run(StateId* cells, std::size_t count, StateId from, StateId to);

 private:
  // A chunk's number is its position in the shadow.
  static std::uint64_t number_of(const StateId* cell) {
    return (reinterpret_cast<std::uint64_t>(cell) - kBase) / (kChunkCells * sizeof(StateId));
  }
  static StateId* chunk_at(std::uint64_t number) {
    return reinterpret_cast<StateId*>(kBase + number * (kChunkCells * sizeof(StateId)));
  }

  void index_chunks();
  StateId* skip_unlisted(StateId* cell, StateId* end) const;

  // One bit for each chunk, from when they are first needed: most executions would only touch more pages.
  std::uint64_t* registered_ = nullptr;
  bool is_indexed_ = false;
  std::uint64_t* chunks_ = nullptr;  // numbers of registered chunks, in the order of their first touch
  std::size_t chunk_count_ = 0;
  bool is_mapped_ = false;
};

}  // namespace heddle::race
