// Everything that is said about a campaign when it is over; filled by whoever ran it, rendered by json.h and
// summary.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::report {

inline constexpr std::size_t kEndings = static_cast<std::size_t>(Ending::kInternalError) + 1;

// What a race led to, in words: the execution that shows it has an artifact of its own.
struct RaceConsequence {
  FindingKind kind = FindingKind::kNone;
  std::string summary;      // "fatal signal SIGSEGV svc.cpp:52:17 in Service::loop()"
  std::uint64_t count = 0;  // executions
  std::string artifact;     // empty: none was written
};
struct RaceFollowUp {
  std::uint64_t executions = 0;        // that made the race a choice; 0: it was not looked for
  std::uint64_t timed_out = 0;         // of these
  bool complete = true;                // false: the time was up before
  std::vector<RaceConsequence> found;  // the worst first
};

// One distinct finding, bug or warning. `trace` is one execution that showed it and outlives the report.
struct CampaignFinding {
  const Trace* trace = nullptr;
  std::size_t finding = 0;            // index into trace->findings
  std::uint64_t count = 0;            // executions that showed it
  std::uint64_t first_execution = 0;  // executions of the campaign before it
  std::string artifact;               // path of its bug-N.heddle; empty: none was written
  std::string known;                  // the artifact of --known that holds it; empty: it is new
  std::string explanation = {};  // that was kept beside the artifact (report/kept_explanation.h); empty: none
  RaceFollowUp follow_up = {};   // of a race

  const TraceFinding& get() const { return trace->findings[finding]; }
};

// A bug of --known, whether it was found again or not.
struct KnownFinding {
  std::shared_ptr<const Trace> trace;  // its first finding
  std::string artifact;                // its path
  std::uint64_t count = 0;             // executions that showed it; 0: it is gone, as far as was seen
};

// A suppression that was used.
struct UsedSuppression {
  std::string text;         // as written: "race:foo"
  std::uint64_t count = 0;  // findings, in all executions
  bool built_in = false;
};

struct StrategyShare {
  std::string name;  // as on the command line, "pct:d=3"
  std::uint64_t executions = 0;
  std::uint64_t buggy_executions = 0;
};

struct CampaignReport {
  std::string tool_version;
  std::uint64_t seed = 0;
  std::vector<std::string> program;  // argv
  std::string program_path;
  std::string build_id;
  std::vector<std::pair<std::string, std::string>> options;  // as given, by their long names

  std::uint64_t executions = 0;
  std::uint64_t buggy_executions = 0;  // with at least one finding of severity bug
  std::uint64_t redundant_executions =
      0;  // broken off because they would have repeated one; not counted above
  double seconds = 0;
  std::uint32_t workers = 1;
  std::array<std::uint64_t, kEndings> endings{};  // executions by Ending
  std::uint64_t pruned_executions = 0;            // in which stores were dropped that could still be read
  std::vector<StrategyShare> strategies;
  std::vector<CampaignFinding> findings;  // in the order in which they were found
  bool has_known = false;                 // --known was given: what is not known is new
  std::vector<KnownFinding> known;        // all of them
  std::vector<UsedSuppression> suppressed;

  bool histogram = false;
  std::map<std::string, std::uint64_t> outcomes;
  std::map<std::string, std::uint64_t> first_executions;  // of each outcome: the one that showed it first

  // What is left. Executions are told apart by their behaviour (core/trace/learning.h).
  std::uint64_t distinct_executions = 0;  // 0: not counted
  std::uint64_t digest = 0;               // of all executions in their order: equal campaigns have equal ones
  std::uint64_t executions_seen_once = 0;  // that came up exactly once
  std::uint64_t executions_seen_twice = 0;
  std::uint64_t read_pairs = 0;  // pairs of places, of a store and a load that has read it; 0: not counted
  bool search_ended = false;     // the strategy has no other execution to try
  bool exhausted = false;        // every execution there is was explored, but for load buffering
  bool buffers_loads = false;    // exhausted: load buffering could show something else
  std::vector<std::string> not_explored;  // what can matter and was not: why nothing else is claimed
  double estimated_executions = 0;        // that such a strategy would come to; 0: not known

  std::vector<std::string> warnings;  // about the build or the run: no -g, inline assembly, cut output
  std::string repetition;             // how executions came back to the start
  std::string stopped_because;        // "the time was up"; empty: not told
  bool complete = true;               // false: it was under way, or was broken off, when this was written
  std::string inconclusive;           // why nothing can be said of the program; empty: something can

  // Endings of executions that were not run to their end, and say little.
  static constexpr std::array kUnfinished = {Ending::kRunning,      Ending::kTimedOut, Ending::kCut,
                                             Ending::kSignalled,    Ending::kDiverged, Ending::kUnsupported,
                                             Ending::kInternalError};
  std::uint64_t unfinished_executions() const {
    std::uint64_t count = 0;
    for (const Ending ending : kUnfinished) count += endings[static_cast<std::size_t>(ending)];
    return count;
  }

  double executions_per_second() const { return seconds > 0 ? static_cast<double>(executions) / seconds : 0; }

  // The probability that one more execution is unlike all before: Good and Turing's estimate, the share of
  // executions that were seen once (Good 1953, eq. 9). It takes executions to be drawn independently, which
  // random strategies do. Negative: not known.
  double share_new() const {
    if (exhausted) return 0;
    if (distinct_executions == 0 || executions == 0) return -1;
    return static_cast<double>(executions_seen_once) / static_cast<double>(executions);
  }

  // The 95 % interval of share_new(): Esty's normal limit (1983, Theorem 1), of variance f1 (1 - f1 / n) + 2
  // f2, where f1 and f2 behaviours were seen once and twice. Where both are few the limit says little, and
  // the rule of three bounds it from above. REQUIRES: share_new() >= 0.
  struct Range {
    double low = 0;
    double high = 0;
  };
  Range share_new_interval() const {
    if (exhausted) return {};
    const auto n = static_cast<double>(executions);
    const auto once = static_cast<double>(executions_seen_once);
    const auto twice = static_cast<double>(executions_seen_twice);
    const double half = 1.959964 * std::sqrt(once * (1 - once / n) + 2 * twice) / n;
    return {std::max(once / n - half, 0.0), std::min(std::max(once / n + half, 3 / n), 1.0)};
  }
};

// A campaign under way.
struct Progress {
  std::uint64_t executions = 0;
  std::uint64_t distinct_bugs = 0;
  std::uint64_t buggy_executions = 0;
  double seconds = 0;
  double seconds_limit = 0;                // 0: none
  std::uint64_t executions_limit = 0;      // 0: none
  std::uint64_t behaviours = 0;            // distinct ones; 0: not counted
  std::uint64_t behaviours_seen_once = 0;  // of these

  // How long it will go on at most; negative: that is not known.
  double seconds_left() const {
    double left = seconds_limit > 0 ? std::max(seconds_limit - seconds, 0.0) : -1;
    if (executions_limit != 0 && executions != 0) {
      const double rest =
          executions_limit > executions ? static_cast<double>(executions_limit - executions) : 0;
      const double needed = seconds * rest / static_cast<double>(executions);
      left = left < 0 ? needed : std::min(left, needed);
    }
    return left;
  }
};

}  // namespace heddle::report
