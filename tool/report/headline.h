// What a reader has to see first of a finding: one sentence, and the few lines of source that it is about. All
// reports begin with it: terminal, page, JSON, SARIF, JUnit.
#pragma once

#include <string>
#include <vector>

#include "tool/report/names.h"
#include "tool/report/places.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// What happened at a place, and what of the trace shows it. The pointers are into trace and finding.
struct CitedDeed {
  ThreadId thread = kNoThread;          // kNoThread: of no thread in particular
  std::string label;                    // "T1 wrote balance, holding no lock"
  EventId event = kNoEvent;             // the event, or the last one before it
  const TracePart* part = nullptr;      // of the finding; nullptr: it is no part of it
  const TraceAccess* access = nullptr;  // a plain access that is none of the finding's parts
};

// A line of the user's source, and what happened there.
struct CitedPlace {
  Frame frame;                   // file and line are known
  ThreadId thread = kNoThread;   // of the first deed
  std::string label;             // of all deeds
  EventId event = kNoEvent;      // of the first deed
  std::vector<CitedDeed> deeds;  // at least one
};

struct Headline {
  std::string sentence;            // escaped
  std::vector<CitedPlace> places;  // those that matter most first, at most kMostPlaces
  std::vector<Address> variables;  // that the places are about
};

inline constexpr std::size_t kMostPlaces = 4;

// `names` numbers memory without a name for all who share it: in one report heap#1 is one block.
Headline headline(const Trace& trace, const TraceFinding& finding, Names& names);
Headline headline(const Trace& trace, const TraceFinding& finding);

}  // namespace heddle::report
