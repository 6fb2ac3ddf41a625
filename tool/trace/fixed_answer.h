// What `heddle fixed` has to say; filled by tool/replay/still_there.h, rendered by tool/report/fixed.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tool/base/proportion.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// How often one program shows the bug in executions that are drawn independently (the strategy `random`).
struct MeasuredRate {
  Proportion seen;                   // of those that came to their end, or showed it
  std::uint64_t ended_by_other = 0;  // another bug ended them first; not among these
  std::uint64_t unfinished = 0;      // nor are those that were cut, killed or too slow
  double seconds = 0;
};

struct OtherBug {
  const Trace* trace = nullptr;  // its first finding
  std::uint64_t count = 0;       // random executions of the new program that showed it
  std::string artifact;          // empty: it could not be kept
};

struct FixedAnswer {
  enum class Verdict : std::uint8_t { kUnknown, kGone, kStillThere };
  enum class FoundBy : std::uint8_t { kNothing, kOldExecution, kNearby, kRandom, kSearch };

  std::string tool_version;
  std::string artifact;              // of the bug that is looked for
  const Trace* bug = nullptr;        // what is in it
  std::vector<std::string> program;  // argv of the new program
  std::string program_path, build_id;
  bool is_same_build = false;  // it is the program of the artifact
  std::uint64_t seed = 0;

  Verdict verdict = Verdict::kUnknown;
  std::string inconclusive;  // why it is not known
  std::optional<MeasuredRate> before, now;
  std::string why_no_before;  // in a whole sentence
  bool exhausted = false;     // every execution of the new program was explored
  bool complete = true;       // false: it was interrupted

  FoundBy found_by = FoundBy::kNothing;
  const Trace* found = nullptr;  // the execution of the new program that shows the bug
  std::string found_artifact;    // empty: it could not be kept

  // Where it was looked for, besides random executions.
  std::string why_not_carried;         // the old execution could not be carried over; empty: it was
  std::uint64_t departures = 0;        // of the old execution
  std::uint64_t departures_there = 0;  // of these, those that the new program has, too
  std::uint64_t nearby = 0;            // executions near it
  std::uint64_t searched = 0;          // executions by all strategies

  std::vector<OtherBug> others;
  std::vector<std::string> warnings;
};

}  // namespace heddle::report
