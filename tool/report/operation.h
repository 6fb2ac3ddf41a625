// One event as a few words: "load flag → 1 acquire ← T2 #14".
#pragma once

#include <string>
#include <vector>

#include "tool/report/names.h"
#include "tool/trace/trace.h"

namespace heddle::report {

struct Operation {
  std::string text;    // "load flag → 1 acquire"
  std::string source;  // "← T2 #14" or "← initial"; empty: reads nothing
  std::string remark;  // "stale: T1 #17 wrote 3", "timed out"; empty: nothing special
  bool is_stale = false;

  // All of it; `no_break` stands where a line must not be broken.
  std::string line(char no_break = ' ') const;
};

// REQUIRES: `event` is one of trace.events.
Operation describe(const Trace& trace, const TraceEvent& event, Names& names);

// Of an event that stores.
std::uint64_t value_written(const TraceEvent& e);

// A plain access of a race, which is no event: "write data (4 bytes)".
std::string describe_access(const TracePart& access, Names& names);
// "write data = 42", "read data → 41".
std::string describe_access(const TraceAccess& access, Names& names);

// The machine-readable name of a kind, as in JSON: "atomic load".
const char* event_kind_name(EventKind kind);

}  // namespace heddle::report
