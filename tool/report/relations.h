// What follows from the events of a trace and is not written in it: which events synchronise with which, and
// which other stores a read could have returned.
//
// Happens-before is worked out by vector clocks in one pass over the events (C11Tester, Fig. 9, with the
// release sequences of C++20); what a read could have returned follows from it by coherence
// (docs/guide/memory-model.md). Where events were left out of the trace, edges through them are missing.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::report {

// Of events, their position in Trace::events.
using Position = std::uint32_t;
inline constexpr Position kInitialStore = 0xffffffff;

struct Relations {
  // Release and acquire, unlock and lock, creation and start, end and join …: the earlier one first.
  std::vector<std::pair<Position, Position>> synchronises_with;
  // For reads that had a choice, the stores that coherence let them read, oldest first. A read of a location
  // with very many stores is left out.
  std::map<Position, std::vector<Position>> readable;
};

Relations relations_of(const Trace& trace);

}  // namespace heddle::report
