// The places that a finding cites, as cards of the page: who did what there, and which event of the trace that is.
#pragma once

#include <string>
#include <vector>

#include "tool/report/names.h"
#include "tool/trace/trace.h"

namespace heddle::report {

struct PageCard {
  std::string role;    // "previous read", "freed here", "took a, waits for b"
  std::string object;  // what the role is about: "data"; empty where the role says it, or nothing is known
  ThreadId thread = kNoThread;
  std::uint64_t pc = 0;
  StackId stack = kEmptyStack;
  const TraceEvent* event = nullptr;  // nullptr: none that the trace has
  const TracePart* part = nullptr;    // nullptr: a lock that was held at an access
  bool is_main = true;  // one has to look at it; else it is told by the way (allocation, creation)
};

// "waits for q.lock", of a thread that is blocked.
std::string wait_words(const TracePart& part, Names& names);

// In the order in which the finding has them. `trace` and `finding` outlive the cards.
std::vector<PageCard> page_cards(const Trace& trace, const TraceFinding& finding, Names& names);

}  // namespace heddle::report
