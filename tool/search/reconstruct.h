// From the paths of one run alone, an execution whose threads take them: executions under the engine are cut
// off where a thread first leaves its path, and the solver is asked for a schedule of what is left in which
// it does not. Again and again, from the execution that came furthest.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tool/search/executions.h"

namespace heddle::search {

struct ReconstructOptions {
  std::uint64_t most_executions = 400;
  std::uint64_t samples = 20;  // executions of the strategy to start from, besides the unsurprising one
  double seconds = 60;
  std::uint64_t most_conflicts = 20'000;
};

// How far a thread went along its path.
struct Matched {
  std::size_t steps = 0;  // the same from the start
  std::size_t of = 0;     // there are in the log
  std::size_t ran = 0;    // steps of the execution
  bool whole() const { return steps == of && ran == of; }
};

struct Reconstruction {
  bool succeeded = false;  // all threads took their paths, and the run ended as it was to end
  bool same_paths = false;
  Executed executed;            // the one that came furthest
  std::optional<Executed> met;  // a failure, where none was asked for
  std::map<std::string, Matched> matched;
  std::uint64_t executions = 0;
  std::uint64_t questions = 0;
};

using LoggedPaths = std::map<std::string, Path>;  // by thread

// `fails`: the run ended with a failure. `on_step` is told how many steps match, of how many.
Result<Reconstruction> reconstruct(Executions& executions, const LoggedPaths& log, bool fails,
                                   const ReconstructOptions& options,
                                   const std::function<void(std::size_t, std::size_t)>& on_step = nullptr);

}  // namespace heddle::search
