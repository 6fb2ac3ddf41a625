// An explanation (tool/trace/explanation.h) for people: what differs between the execution that fails and
// the one that passes, side by side, and what should be changed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tool/edit/source_edit.h"
#include "tool/trace/explanation.h"

namespace heddle::report {

struct ExplainedOptions {
  std::size_t width = 100;
  bool color = false;
  std::size_t rows = 15;  // of the two executions, and of the flows; what is left out is said
};

std::string explained_text(const Explanation& explanation, const ExplainedOptions& options = {});

// "Make the store of flag at mp.cpp:9 release …": what should be changed, in one sentence; empty where
// nothing was found.
std::string remedy_sentence(const Explanation& explanation);
// Why there is none; empty where none was looked for.
std::string no_remedy_text(const Explanation& explanation);
// How it was tried: "10,000 executions that were held to it did not show the bug …".
std::string remedy_evidence(const Explanation& explanation);

// What happened in the execution that fails, as the report of the bug says it.
std::string explained_sentence(const Explanation& explanation);

// One line of a projection.
struct ProjectedLine {
  EventId event = kNoEvent;
  ThreadId thread = kMainThread;
  std::string text;      // "read filled → 1"
  std::string place;     // "queue.cpp:10"
  bool in_flow = false;  // of a data flow that the other execution does not have
  bool parts = false;    // its thread leaves the path that it takes in the other execution
};
std::vector<ProjectedLine> projected_lines(const ProjectedRun& run);
// The same for who looks at them: of loops, the first round and the last, and a line without an event that
// says how many there were.
std::vector<ProjectedLine> folded_lines(const ProjectedRun& run);

// A data flow that differs: "reads x at a.cpp:3" with what it comes from on either side.
struct FlowDifference {
  ThreadId thread = kMainThread;
  std::string what, fails, passes;
  std::size_t times = 1;  // that it stands for, all alike

  std::string times_text() const;  // " (20 times)", or nothing

  friend auto operator<=>(const FlowDifference&, const FlowDifference&) = default;
};
std::vector<FlowDifference> flow_differences(const Explanation& explanation);
// When the failure was decided: a line with a curve of one row, and one for each step at which it jumps. Empty where
// there is none.
std::vector<std::string> curve_lines(const Explanation& explanation);
// "from 50 % to 100 % when T0 comes next: load f → 1 at mp.cpp:5"
std::string jump_text(const Explanation& explanation, const CurveJump& jump);
// The orderings of the root cause, in words.
std::vector<std::string> root_cause_lines(const Explanation& explanation);
// How the execution that passes was found, and how much of the failing one it leaves; or why there is none.
std::string explained_how(const Explanation& explanation);

// A picture of both executions side by side, threads as columns, data flows that differ as arrows.
std::string explained_svg(const Explanation& explanation);
std::string explained_json(const Explanation& explanation, const std::vector<edit::SourceEdit>& edits = {});

}  // namespace heddle::report
