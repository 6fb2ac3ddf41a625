// One thing that one thread did, as a record. Events are written only when an execution is run again to be
// explained; a campaign runs without them. Who only names kinds of events includes event_kinds.h.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/event_kinds.h"

namespace heddle {

struct Event {
  std::uint64_t pc = 0;  // in the instrumented caller; a return address
  Address address = 0;
  std::uint64_t value = 0;  // low 8 bytes for 16-byte accesses
  std::uint64_t value2 = 0;
  EventId reads_from = kNoEvent;
  std::uint32_t mo_position = 0;  // place of a store in its location's modification order; 0: not a store
  StackId stack = kEmptyStack;    // the callers; pc is the innermost frame
  ThreadId thread = kMainThread;
  ThreadId other = kNoThread;
  std::uint32_t text = 0;        // offset into the channel's text section, 0: none
  std::uint16_t candidates = 0;  // how many stores a load could have read
  std::uint16_t overtaken = 0;   // how many seq_cst operations that were executed earlier come after it in S
  // Which atomic object this was, counted from 1: memory that is freed, or plainly initialised anew, holds
  // another one afterwards, with a modification order of its own. 0: no atomic access.
  std::uint32_t location = 0;
  EventKind kind = EventKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;
  std::uint8_t size = 0;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Event) == kEventBytes);

}  // namespace heddle
