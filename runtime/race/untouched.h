// Allocations of much memory, as far as nobody has touched it yet: one 32-bit number for each 16 KB granule
// of the program names the allocation that its virgin chunks belong to. Allocating a block is a write of all
// its bytes, but a write that fills the shadow of 200 MB would cost more than most programs do with them. So
// only the ends of a large block are written at once; a chunk between them gets the allocation's record when
// it is registered (shadow.h).
//
// An entry stays until the same memory is allocated or forgotten again. What a free leaves behind is
// harmless: whoever touches freed memory is told of that first.
#pragma once

#include "runtime/race/record.h"
#include "runtime/race/shadow.h"

namespace heddle::race {

class Untouched {
 public:
  static constexpr std::uint32_t kGranuleBits = 14;
  static constexpr std::uint64_t kGranule = 1ull << kGranuleBits;

  constexpr Untouched() = default;
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;

  bool map();
  void unmap();

  // The allocation of virgin memory at this address, or nullptr.
  const PreciseRecord* find(Address address) const {
    if (count_ == 0) return nullptr;
    const std::uint32_t entry = granules_[(address & Shadow::kAddressMask) >> kGranuleBits];
    return entry != 0 ? &entries_[entry].allocation : nullptr;
  }

  // The virgin chunks in [begin, end) belong to this allocation, or to none. When the table is full they
  // belong to none, and so does what is behind kMostBytes: a race may be missed. REQUIRES: both are multiples
  // of kGranule.
  void assign(Address begin, Address end, const PreciseRecord* allocation);

  bool empty() const { return count_ == 0; }
  void reset();

 private:
  struct Entry {
    PreciseRecord allocation;
    Address begin;
    Address end;
  };
  static constexpr std::uint32_t kMostEntries = 1u << 22;
  static constexpr std::size_t kGranulesSize = (1ull << (47 - kGranuleBits)) * sizeof(std::uint32_t);
  static constexpr std::size_t kEntriesSize = kMostEntries * sizeof(Entry);

  // Of one allocation: filling the granules of a terabyte would take longer than it is worth.
  static constexpr std::uint64_t kMostBytes = 16ull << 30;

  void fill(Address begin, Address end, std::uint32_t entry);
  void forget(Address begin, Address end);

  std::uint32_t* granules_ = nullptr;
  Entry* entries_ = nullptr;  // 0 is nobody's
  std::uint32_t count_ = 0;
};

}  // namespace heddle::race
