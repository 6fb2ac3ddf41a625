// What creating and joining threads orders, on given paths and in every schedule of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::search {

class ThreadOrder {
 public:
  // The events of each thread are in its order; those of different threads need not be.
  explicit ThreadOrder(std::span<const TraceEvent> events);

  // Is one of these events before the other, whatever threads do? By place in the span.
  bool is_ordered(std::uint32_t a, std::uint32_t b) const { return is_before(a, b) || is_before(b, a); }

 private:
  using Clock = std::map<ThreadId, std::uint32_t>;  // how many events of each thread are before
  struct Position {
    ThreadId thread = kMainThread;
    std::uint32_t ordinal = 0;  // in its thread, from 1
    std::uint32_t clock = 0;    // which one
  };

  bool is_before(std::uint32_t a, std::uint32_t b) const;

  std::vector<Position> positions_;
  std::vector<Clock> clocks_;
};

}  // namespace heddle::search
