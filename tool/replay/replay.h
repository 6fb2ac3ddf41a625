// Runs the execution of a trace again and compares.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tool/run/target.h"

namespace heddle::replay {

struct ReplayOutcome {
  bool reproduced = false;                   // the same findings, by the same choices and events
  bool cut = false;                          // it was ended before its end, as was asked for
  std::string difference;                    // the first one, in words; empty where there is none
  std::uint64_t digest = 0;                  // over every event: equal executions have equal ones
  std::vector<std::string> changed_modules;  // libraries that are not those of the artifact
  std::string other_engine;                  // the heddle that made the artifact, where it is not this one
  bool guided = false;  // the choices did not fit that one any more, and were followed as far as they do
  Trace trace;          // of the new execution
};

struct ReplayOptions {
  bool shows_output = false;  // the program's output goes to our standard output
  bool symbolise = true;
  std::uint32_t end_after_event = ~0u;
  std::uint32_t pause_at_event = ~0u;   // stop there, for a debugger to be attached
  std::function<void(pid_t)> on_pause;  // it has stopped; the execution goes on when somebody continues it
};

// Choice for choice. Another version of the engine may offer other choices at the same place: an artifact of
// one that cannot be followed exactly is followed as a wish list.
Result<ReplayOutcome> replay(const run::Target& target, const Trace& original, const ReplayOptions& options);

// Has `now` found every bug that `original` has?
bool has_same_findings(const Trace& original, const Trace& now);

// The first event in which two executions differ, in words; empty: none.
std::string first_difference(const Trace& a, const Trace& b);

}  // namespace heddle::replay
