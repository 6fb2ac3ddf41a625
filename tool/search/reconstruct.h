// From the paths of one run alone, an execution whose threads take them. Of each thread that execution is
// kept in which it came furthest along its path (known_paths.h), cut off where it leaves it. Orders of what
// is known are executed in thought until threads stay on their paths where they had left them, and then for
// real, which makes more known; where that leads nowhere, the solver is asked, about the execution that came
// furthest.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tool/search/executions.h"
#include "tool/search/known_paths.h"

namespace heddle::search {

struct ReconstructOptions {
  std::uint64_t most_executions = 400;
  std::uint64_t samples = 20;  // executions of the strategy to start from, besides the unsurprising one
  double seconds = 60;
  std::uint64_t most_conflicts = 20'000;
  // Memory that is raced for becomes visible (Executions::see_races), and what is known is learned anew. Executions
  // of before do not fit together with those that come, so that who has some should not ask for it.
  bool sees_races = false;
};

// How the run ended.
struct LoggedEnd {
  bool fails = false;
  std::string thread;  // whose failure it was; empty: not known
  // The log has no end: threads waited for ever until the process was killed.
  bool hangs = false;
  // It died of a signal: the log may lack its latest branches, whose bits were in registers
  // (docs/design/record-format.md).
  bool lacks_bits = false;
};

struct Reconstruction {
  bool succeeded = false;  // all threads took their paths, and the run ended as it was to end
  // All threads took their paths, but for how far those had come that did not fail. They go on in parallel
  // until the process is gone. So they can have logged what comes after the failure, or done what they did not
  // log any more.
  bool same_paths = false;
  Executed executed;            // the one that came furthest
  std::optional<Executed> met;  // the first bug on the way, whatever it is; for where it did not succeed
  MatchedThreads matched;
  std::uint64_t executions = 0;
  std::uint64_t questions = 0;
};

// `on_step` is told how many steps match, of how many.
Result<Reconstruction> reconstruct(Executions& executions, const LoggedPaths& log, const LoggedEnd& end,
                                   const ReconstructOptions& options,
                                   const std::function<void(std::size_t, std::size_t)>& on_step = nullptr);

}  // namespace heddle::search
