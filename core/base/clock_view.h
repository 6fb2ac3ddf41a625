// A look at one thread's happens-before clock, for whoever asks "does that access happen before now?".
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

// A point in one thread's life: `time` of `thread`. Times start at 1 and advance when the thread publishes its
// clock. So (thread, time) is known to a clock exactly if everything that the thread did up to then happens
// before.
struct Epoch {
  ThreadId thread = kNoThread;
  std::uint32_t time = 0;
  friend constexpr bool operator==(Epoch, Epoch) = default;
};

// Valid until the next call that changes the clock's owner. Threads at or past `width` are at time 0.
struct ClockView {
  const std::uint32_t* times = nullptr;
  std::uint32_t width = 0;

  std::uint32_t operator[](ThreadId t) const { return index_of(t) < width ? times[index_of(t)] : 0; }
  std::uint32_t at(ThreadId t) const { return (*this)[t]; }
  bool knows(Epoch e) const { return e.time <= (*this)[e.thread]; }
};

}  // namespace heddle
