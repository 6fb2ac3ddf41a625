// What a reader has to see first of a finding: one sentence, and the few lines of source that it is about. All
// reports begin with it: terminal, page, JSON, SARIF, JUnit.
#pragma once

#include <string>
#include <vector>

#include "tool/report/places.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// A line of the user's source, and what happened there.
struct CitedPlace {
  Frame frame;                  // file and line are known
  ThreadId thread = kNoThread;  // kNoThread: of no thread in particular
  std::string label;            // "T1 wrote balance, holding no lock"
  EventId event = kNoEvent;     // where the trace shows it: the event, or the last one before it
};

struct Headline {
  std::string sentence;            // escaped
  std::vector<CitedPlace> places;  // those that matter most first, at most kMostPlaces
  std::vector<Address> variables;  // that the places are about
};

inline constexpr std::size_t kMostPlaces = 4;

Headline headline(const Trace& trace, const TraceFinding& finding);

}  // namespace heddle::report
