// Suppressions: which findings are known and not to be told, in ThreadSanitizer's file format. One per line,
// TYPE:TEMPLATE; a line that starts with # is a comment. A template matches a part of a function's, a file's,
// a module's or (race) a global variable's name; * stands for anything, ^ and $ for the name's begin and end.
//
//   race             a frame of a race's accesses or of its threads' creation, or the global raced for
//   race_top         the innermost frame of one of a race's accesses
//   thread           the creation of a leaked thread
//   mutex            misuse of a mutex, rwlock, condition variable, barrier or semaphore
//   signal           never anything here; accepted
//   deadlock         a deadlock or a lock-order inversion
//   called_from_lib  an access that a library of this name makes itself, through memcpy and its like
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/name_template.h"
#include "core/base/result.h"
#include "tool/trace/trace.h"

namespace heddle {

class Suppressions {
 public:
  enum class Type : std::uint8_t { kRace, kRaceTop, kThread, kMutex, kSignal, kDeadlock, kCalledFromLib };
  struct Entry {
    Type type;
    std::string pattern;
    std::string text;  // as written
    bool built_in = false;
    std::uint64_t hits = 0;  // counted by whoever asks
  };

  // Only those that heddle brings along: faults of the standard libraries themselves (docs/guide/memory-model.md).
  Suppressions();

  // `name` is the file's, for messages. The error names the line.
  Status add(std::string_view text, const std::string& name);
  Status add_file(const std::string& path);

  // The first entry that suppresses the finding; nullptr: none does.
  Entry* match(const Trace& trace, const TraceFinding& finding);

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace heddle
