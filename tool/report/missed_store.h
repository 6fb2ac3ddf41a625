// What a read of an atomic object missed. Modification order and the order of execution may differ
// ([intro.races]p4), so "the newest store" has two meanings, and a reader of a trace has to be told which one is meant.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "tool/report/names.h"
#include "tool/trace/trace.h"

namespace heddle::report {

struct MissedStore {
  enum class How : std::uint8_t {
    kNewer,  // executed later than the store that was read, and later in modification order: an old value
    kOrderedAfter,   // executed earlier, but later in modification order
    kOrderedBefore,  // executed later, but earlier in modification order: the value is not old
  };
  const TraceEvent* store = nullptr;
  How how = How::kNewer;
};

// By the event of the read. Reads of which there is nothing to say are not in it. One pass over the events.
std::unordered_map<std::uint32_t, MissedStore> missed_stores(const Trace& trace);

// What one read missed. One pass over the events before it.
std::optional<MissedStore> missed_store(const Trace& trace, const TraceEvent& read);

// "← T1 #206, though T2 #258 was executed later and lies before it in modification order"; without a missed store
// "← T1 #206" alone. Empty for an event that reads nothing known.
std::string read_words(const Trace& trace, const TraceEvent& read, const MissedStore* missed, Names& names);

// "STALE: T1 #4 wrote 1", a remark in a row of a table.
std::string stale_words(const MissedStore& missed, Names& names);

}  // namespace heddle::report
