// Which plain accesses are visible operations: others may run before them, and the choice log has them. Values
// stay what memory holds. Plain data: it lies in a RunSpec, and so in shared memory and in artifacts.
//
// A place is a range of addresses, of code or of data. An access is visible if the code that makes it lies in
// one, or if the memory that it touches does. Code and data do not overlap, so one list serves for both.
//
// Invariant: ranges are sorted by `begin` and do not overlap (add() keeps it), so that one question costs a
// binary search.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"

namespace heddle {

struct VisiblePlace {
  Address begin = 0;
  Address end = 0;
  friend constexpr bool operator==(const VisiblePlace&, const VisiblePlace&) = default;
};

struct VisiblePlaces {
  static constexpr std::uint32_t kMost = 256;

  std::uint32_t count = 0;
  std::uint8_t all = 0;  // every plain access while there is more than one thread
  // Which accesses' races are no findings: they are known, and what they lead to is looked for.
  enum Silence : std::uint8_t { kTold = 0, kVisibleOnes, kAllRaces };
  Silence silence = kTold;
  VisiblePlace places[kMost] = {};

  friend constexpr bool operator==(const VisiblePlaces& a, const VisiblePlaces& b) {
    if (a.all != b.all || a.silence != b.silence || a.count != b.count) return false;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      if (a.places[i] != b.places[i]) return false;
    }
    return true;
  }
  constexpr bool any() const { return count != 0 || all != 0; }
  constexpr std::span<const VisiblePlace> all_places() const { return {places, count}; }

  // The first place that ends after `address`.
  constexpr std::uint32_t after(Address address) const {
    std::uint32_t low = 0;
    std::uint32_t high = count;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (places[middle].end <= address)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  constexpr bool touches(Address begin, std::uint64_t bytes) const {
    const std::uint32_t i = after(begin);
    return i < count && places[i].begin < begin + bytes;
  }
  constexpr bool covers(Address begin, std::uint64_t bytes) const {
    const std::uint32_t i = after(begin);
    return i < count && places[i].begin <= begin && begin + bytes <= places[i].end;
  }
  constexpr bool has(Address pc, Address address, std::uint64_t bytes) const {
    return all != 0 || touches(pc - 1, 1) || touches(address, bytes);
  }

  // Is a race no finding whose later access is this one?
  constexpr bool silences(Address pc, Address address, std::uint64_t bytes) const {
    if (silence == kTold) return false;
    return silence == kAllRaces || has(pc, address, bytes);
  }

  // Joins what it touches. False: there is no room, or nothing in the range.
  constexpr bool add(VisiblePlace place) {
    if (place.begin >= place.end) return false;
    const std::uint32_t first = after(place.begin);
    std::uint32_t last = first;
    while (last < count && places[last].begin < place.end) {
      if (places[last].begin < place.begin) place.begin = places[last].begin;
      if (places[last].end > place.end) place.end = places[last].end;
      ++last;
    }
    if (last == first) {
      if (count == kMost) return false;
      for (std::uint32_t i = count++; i > first; --i) places[i] = places[i - 1];
    } else {
      for (std::uint32_t i = last; i < count; ++i) places[first + 1 + i - last] = places[i];
      count -= last - first - 1;
    }
    places[first] = place;
    return true;
  }
  // The code of one access, as findings and events name it: where its call returns to.
  static constexpr VisiblePlace code(Address pc) { return {pc - 1, pc}; }
  constexpr bool add_code(Address pc) { return pc != 0 && add(code(pc)); }
};

}  // namespace heddle
