// The rows of the page's timeline: events, plain accesses of memory that several threads touch, and what the finding
// cites and is neither: an access that was not seen again, a thread that waits.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "tool/report/headline.h"
#include "tool/report/page_cards.h"
#include "tool/trace/trace.h"

namespace heddle::report {

struct PageRow {
  const TraceEvent* event = nullptr;
  const TraceAccess* access = nullptr;  // a plain access
  const TracePart* part = nullptr;      // of the finding: this access, or what has no other row
  bool is_telling = false;              // an access that one has to see: never folded
};

// Of `shown` the events; of `full`, of which `shown` is a part, about so many plain accesses that there are `most` rows.
// The accesses that the terminal's table has, and the cited ones, are always among them. Points into all of these.
std::vector<PageRow> page_rows(const Trace& full, const Trace& shown, const TraceFinding& finding,
                               const Headline& head, const std::vector<PageCard>& cards, std::size_t most);

}  // namespace heddle::report
