// Makes an execution that shows a bug smaller, for people: fewer switches, fewer stale reads, fewer events.
//
// The execution is seen as its departures from the unsurprising one (core/trace/plan.h), and delta debugging
// (Zeller and Hildebrandt, TSE 2002, ddmin) takes them away, every candidate executed for real. Then plans
// with very few departures are tried from scratch, in the spirit of delay-bounded scheduling (Emmi et al.,
// POPL 2011): a bug found by many switches is often shown by one elsewhere. In the end every departure that
// is left is taken away alone; those without which the bug goes away are critical.
#pragma once

#include "tool/run/target.h"

namespace heddle::replay {

struct MinimiseOptions {
  double seconds = 2;
  std::uint64_t most_searched = 100'000;  // executions to look for plans with fewer departures
  std::vector<int> allowed_exits;
  std::size_t kept_events = run::kKeptEvents;
};

// A smaller execution with the bug of `original`, with Trace::minimised and Trace::departures. The bug is the first
// finding of `original`; only findings that `original` has, too, are kept. An error where the execution does
// not repeat.
Result<Trace> minimise(const run::Target& target, const Trace& original, const MinimiseOptions& options);

// From all events, and what is known of departures.
TraceSize size_of(const Trace& trace);

}  // namespace heddle::replay
