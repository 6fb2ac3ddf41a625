// Is the bug of an artifact still in a program that was changed since? It is looked for where it was, then near that,
// then everywhere; and how often it shows is measured in both programs.
//
//   1. The old execution: its choices as they are, then carried over by places of the source (carry_over.h), then
//      executions near it (nearby.h).
//   2. Independent random executions of the new program: from these comes the rate. Learning strategies draw what looks
//      promising more often, so that their rates mean nothing.
//   3. The same of the old program, if it is there.
//   4. What is left of the time: the hunt that `heddle run --look-for` makes (tool/run/hunt.h).
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "tool/run/campaign.h"
#include "tool/trace/fixed_answer.h"

namespace heddle::replay {

struct StillThereOptions {
  std::optional<std::uint64_t> executions;  // of each program; none: as many as the time allows
  double seconds = 0;                       // for all of it; 0: no limit
  unsigned jobs = 1;
  std::uint64_t seed = 1;
  std::vector<int> allowed_exits;
  std::function<void(const std::string&)> on_step;  // what begins
  std::function<void(const report::Progress&)> on_progress;
};

struct StillThere {
  report::FixedAnswer
      answer;  // `bug` points to what was asked for; what points into this is left to the caller
  std::optional<Trace> found;        // the bug is its first finding
  std::deque<run::FoundBug> others;  // each is its trace's first finding; most frequent first
  std::uint64_t executions = 0;      // of the new program
  std::optional<Error> error;        // why nothing can be said
};

// `before`: the program of the artifact; nullptr: it is not there. `original`: the artifact's, as this version of heddle
// follows it; the trace that `answer.bug` points to.
StillThere look_whether_still_there(const run::Target& now, const run::Target* before, const Trace& original,
                                    const StillThereOptions& options);

}  // namespace heddle::replay
