// A bug in a sentence or two of plain words, for the head of a page: who did what to which variable, where,
// and what was missing.
#pragma once

#include <string>
#include <string_view>

#include "tool/report/names.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// The first part of that role; nullptr where there is none.
const TracePart* part_of(const TraceFinding& finding, PartRole role);

// What the thread did to the memory that is named next: "wrote", "freed", "destroyed the mutex".
std::string deed_of(const TracePart& part);

// `names` numbers memory without a name for all who share it.
std::string plain_words(const Trace& trace, const TraceFinding& finding, Names& names);
std::string plain_words(const Trace& trace, const TraceFinding& finding);

// The stale read that a failure may be due to: the last one before it, of the failing thread if it has one;
// nullptr where there is none.
const TraceEvent* telling_stale_read(const Trace& trace, const TraceFinding& finding);

}  // namespace heddle::report
