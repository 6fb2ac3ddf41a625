// What a worker that was killed leaves behind, so that nothing is lost with it: results that the tool has to
// count in its place, and the execution that it held, which another worker goes on with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tool/run/target.h"

namespace heddle::run {

struct Legacy {
  // Of the execution that it held, if that is over or was given up: nobody else will publish it.
  std::optional<ExecutionResult> result;
  Takeover takeover;  // for the worker that comes in its place
};

// `worker`: its number, which the program may have overwritten in the channel.
// REQUIRES: all processes of the worker have died, and its ring was read.
Legacy legacy_of(const Process& dead, std::uint32_t worker, CampaignState& state);

// Executions wait for others to be counted as completed. If a process was killed in the very moment of
// counting, all workers wait, and nobody is left who could count: then this does.
class CompletionWatch {
 public:
  void look(std::span<const Process> workers, CampaignState& state, double now);

 private:
  std::uint64_t completed_ = 0;
  double since_ = 0;
  bool all_wait_ = false;
};

}  // namespace heddle::run
