// From a symbolic trace to schedules: one that fails, why it does, and one near it that does not (Machado,
// PhD thesis, 4.1.3 to 4.1.5). Everything that is returned has been executed in thought (Simulation).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tool/constraints/execution.h"
#include "tool/constraints/problem.h"
#include "tool/constraints/symbolic_trace.h"

namespace heddle::constraints {

struct SolveOptions {
  Model model = Model::kSequential;
  bool start_from_observed = true;         // candidates near the order of the trace first
  std::uint64_t most_conflicts = 200'000;  // of one question to the solver
  std::uint64_t most_steps = 2'000'000;    // of the search in front of it (forward_search.h)
};

// Of solve_failing and solve_passing.
struct SolvedSchedule {
  Answer answer = Answer::kUnknown;
  Execution execution;
  bool soft_dropped = false;  // only with values other than those that were taken for concrete
  Problem::Size size;
};

// Φ_fail: an execution of the same paths that fails, whatever the order was.
SolvedSchedule solve_failing(const SymbolicTrace& trace, const SolveOptions& options = {});

// A failing execution that ends with the failure: other threads are somewhere on their paths by then. It is
// found without the solver, under sequential consistency, so that the answer is kSatisfiable or kUnknown.
// `before`: events that have happened by then.
SolvedSchedule find_failing_early(const SymbolicTrace& trace, std::uint64_t most_steps,
                                  std::span<const EventId> before = {});

// An order in which as many as possible of the threads `wanted` come as far as they are to, with all
// conditions of what was done (forward_search.h). Answers as find_failing_early does.
struct WantedPath {
  ThreadId thread = kMainThread;
  EventId until = kNoEvent;  // the last one that it has to come to; kNoEvent: the end
};
struct AlongPaths {
  SolvedSchedule found;
  std::vector<ThreadId> arrived;  // who does
};
AlongPaths find_along(const SymbolicTrace& trace, std::span<const WantedPath> wanted, ThreadId last,
                      std::uint64_t most_steps);

// An execution of the same paths that passes.
SolvedSchedule solve_passing(const SymbolicTrace& trace, const SolveOptions& options = {});

// The execution that was traced. Under kSequential what reads read follows from the order.
Execution observed_execution(const SymbolicTrace& trace);

// One thing that an execution decided.
struct Ordering {
  enum class Kind : std::uint8_t {
    kBefore,        // `first` comes before `second`
    kReads,         // `second` reads what `first` wrote; kNoAction: the initial value
    kModification,  // `first` comes before `second` in the modification order
  };
  Kind kind = Kind::kBefore;
  ActionId first = kNoAction;
  ActionId second = kNoAction;
  bool operator==(const Ordering&) const = default;
};

struct RootCause {
  // kUnsatisfiable: `core` cannot go together with an execution that passes. kSatisfiable is no answer of an
  // execution that fails.
  Answer answer = Answer::kUnknown;
  // Empty: no execution of the same paths passes.
  std::vector<Ordering> core;
  bool minimal = false;   // without any one of them there is an execution that passes
  std::size_t named = 0;  // how many were asked about
  std::uint64_t questions = 0;
};

// Φ_root: a minimal set of orderings of the failing execution that make it fail.
RootCause root_cause(const SymbolicTrace& trace, const Execution& failing, const SolveOptions& options = {});

struct Alternate {
  Execution execution;
  // What is another way around than in the failing execution: a pair of events of the root cause, or, where
  // no single pair is enough, the least that the solver found.
  std::vector<Ordering> inverted;
  bool by_solver = false;
};

struct Alternates {
  std::vector<Alternate> found;
  std::uint32_t pairs_tried = 0;
  bool complete = true;  // false: the solver gave up before it knew that there is none
};

// Φ_alt: at most `most` executions that pass. Each inverts a pair of events of the root cause (4.1.5), or pairs
// of pairs where no single one is enough. The pair with the fewest events between is tried first.
Alternates alternates(const SymbolicTrace& trace, const Execution& failing, const RootCause& cause,
                      std::size_t most = 1, const SolveOptions& options = {});

// A schedule for others to follow: each action by its thread and its number among the actions of that thread.
struct Place {
  ThreadId thread = kMainThread;
  std::uint32_t ordinal = 0;
  EventId event = kNoEvent;  // in the trace; kNoEvent: synthetic
  ActionId reads_from =
      kNoAction;  // place in the schedule of the write that it reads; kNoAction: initial, or none
  ThreadId wakes = kNoThread;  // of a signal to one who waits: who goes on by it
};
// `woken`: signals that nobody has gone on by are for these first.
std::vector<Place> places(const SymbolicTrace& trace, const Execution& execution,
                          std::span<const ThreadId> woken = {});

}  // namespace heddle::constraints
