// Runs the execution of a trace again and compares.
#pragma once

#include <optional>
#include <string>

#include "tool/run/target.h"

namespace heddle::replay {

struct ReplayOutcome {
  bool reproduced = false;  // the same findings, by the same choices and events
  std::string difference;   // the first one, in words; empty where there is none
  Trace trace;              // of the new execution
};

Result<ReplayOutcome> replay(const run::Target& target, const Trace& original, bool inherit_output);

// The first event in which two executions differ, in words; empty: none.
std::string first_difference(const Trace& a, const Trace& b);

}  // namespace heddle::replay
