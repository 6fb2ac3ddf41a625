// Finds the location of an address and size. A hash table of 16-byte lines, so that locations that overlap
// are in one bucket; it grows with the number of locations and is small again after a reset.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "runtime/memory/location.h"

namespace heddle::memory {

inline constexpr std::uint32_t kLineBytes = 16;

class LocationTable {
 public:
  explicit LocationTable(Arena& arena) : arena_(arena) {}
  void reset();

  // The location with exactly this address and size; null if there is none.
  Location* find(Address address, std::uint8_t size) const {
    for (Location* x = buckets_[bucket(address / kLineBytes)]; x != nullptr; x = x->next_in_bucket) {
      if (x->address == address && x->size == size) return x;
    }
    return nullptr;
  }
  // Some location that overlaps [begin, end) within the line of `line_address`.
  Location* find_overlap(Address line_address, Address begin, Address end) const;

  // A zeroed location in the table. Its arrays are the caller's to allocate.
  Location* insert(Address address, std::uint8_t size);
  // Takes it out and frees it; its arrays are the caller's to release first.
  void remove(Location* x);

  // Calls f(location) for each location that overlaps [begin, end); f may remove it.
  template <typename F>
  void for_each_in(Address begin, Address end, F f) {
    if (begin >= end) return;
    // A location is found under its first line; those that are not aligned reach into the next.
    const Address first = begin / kLineBytes - (begin >= kLineBytes ? 1 : 0);
    const Address last = (end - 1) / kLineBytes;
    const auto visit = [&](Location* x) {
      if (x->address < end && begin < x->address + x->size) f(x);
    };
    if (last - first < count_) {
      for (Address line = first; line <= last; ++line) {
        for (Location *x = buckets_[bucket(line)], *next; x != nullptr; x = next) {
          next = x->next_in_bucket;
          if (x->address / kLineBytes == line) visit(x);
        }
      }
      return;
    }
    for (Location *x = locations_, *next; x != nullptr; x = next) {
      next = x->next;
      visit(x);
    }
  }

  // Can a location overlap these few bytes? Sometimes yes though there is none; never the reverse.
  // REQUIRES: at most one line's bytes.
  bool may_overlap(Address begin, std::uint32_t size) const {
    const Address first = begin / kLineBytes;
    const Address last = (begin + size - 1) / kLineBytes;
    return is_in_filter(first) || (last != first && is_in_filter(last));
  }

  Location* first() const { return locations_; }
  std::uint32_t count() const { return count_; }

 private:
  std::uint32_t bucket(Address line) const {
    return static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15ull) >> shift_);
  }
  void grow();
  static constexpr std::uint32_t kFilterBits = 1u << 14;
  static std::uint32_t filter_bit(Address line) {
    return static_cast<std::uint32_t>((line * 0x9e3779b97f4a7c15ull) >> 50);
  }

  bool is_in_filter(Address line) const {
    const std::uint32_t bit = filter_bit(line);
    return (filter_[bit / 64] >> (bit % 64) & 1) != 0;
  }
  void add_to_filter(Address line) {
    const std::uint32_t bit = filter_bit(line);
    filter_[bit / 64] |= 1ull << (bit % 64);
  }

  std::uint64_t filter_[kFilterBits / 64] = {};  // lines in which a location has ever been
  Arena& arena_;
  Location** buckets_ = nullptr;
  std::uint32_t shift_ = 0;
  std::uint32_t count_ = 0;
  Location* locations_ = nullptr;
};

}  // namespace heddle::memory
