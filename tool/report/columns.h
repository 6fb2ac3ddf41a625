// The trace of an execution in a terminal, time downward, one column for each thread:
//
//         T0 main                    │ T1 producer()            │ where
//     12  store data = 42 relaxed    │                          │ mp.cpp:9
//     13                             │▸load flag → 0 acquire    │ mp.cpp:15
//                                    │   ← initial (STALE: …)   │
//
// ▸ marks a switch of threads, ◆ a switch or a read without which the bug goes away (where minimising has
// tried), ! an event that the finding cites. Where the columns would be too narrow, threads are named in one
// column instead.
#pragma once

#include <cstddef>
#include <string>

#include "tool/trace/trace.h"

namespace heddle::report {

struct Headline;
class Names;

struct ColumnOptions {
  std::size_t width = 100;
  std::size_t max_rows = 120;
  bool color = false;
  const TraceFinding* finding = nullptr;  // whose events are marked; nullptr: all findings'
  const Headline* head = nullptr;         // of `finding`: only the rows that one has to read (brief_rows.h)
  Names* names = nullptr;                 // that others use, too; nullptr: own ones
};

// Empty where the trace has no events.
std::string columns(const Trace& trace, const ColumnOptions& options = {});

}  // namespace heddle::report
