// Which events of a trace are shown, and where stretches in which nothing of interest happens are folded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::report {

struct Row {
  const TraceEvent* event = nullptr;   // nullptr: a fold, or an access
  std::string fold;                    // "… 1,204 events: T1 800, T2 404"
  ThreadId fold_end = kNoThread;       // who ran last in the fold; kNoThread: that does not matter
  bool cited = false;                  // by a finding
  const TracePart* access = nullptr;   // a plain access of a race, which is no event
  const TraceAccess* plain = nullptr;  // a plain access of memory that several threads touch (brief_rows.h)
};

struct RowOptions {
  std::size_t max_rows = 120;  // about; everything is shown where there are no more events than this
  const TraceFinding* finding = nullptr;  // whose events matter; nullptr: all findings'
};

std::vector<Row> choose_rows(const Trace& trace, const RowOptions& options);

}  // namespace heddle::report
