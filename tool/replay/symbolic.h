// Runs the execution of an artifact again with a symbolic trace (core/trace/symbolic.h): what the values that
// threads handed to each other were computed from, and which branches they decided.
#pragma once

#include "tool/run/target.h"
#include "tool/trace/symbolic_tables.h"

namespace heddle::replay {

struct SymbolicRun {
  Trace trace;  // of this execution: with the plain accesses to shared memory among its events
  SymbolicTables tables;
  bool reuses_memory = false;  // freed blocks had to be handed out again, as in the original, for it to fail
  std::uint64_t duration_us = 0;
  std::vector<Granule> shared;  // memory whose accesses are in the trace
};

// Was the program built with `heddle c++ --full`?
bool is_full_build(const std::string& program);

enum class AfterFailure : std::uint8_t {
  kEnd,
  kRunOn,  // the other threads go on for a while: what they do after the failure is in the trace as well
};

// An error where the program was not built for it, where the execution does not come to the same findings, or
// where the trace proves wrong (symbolic_oracle.h).
// `path_trace`: with every step of each thread's path (SymbolicTables::steps).
// `also_shared`: memory that other executions share, so that traces of several can be put together.
Result<SymbolicRun> run_symbolically(const run::Target& target, const Trace& original,
                                     AfterFailure after = AfterFailure::kEnd,
                                     std::span<const Granule> also_shared = {}, bool path_trace = false);

}  // namespace heddle::replay
