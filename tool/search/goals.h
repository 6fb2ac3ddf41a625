// What could go wrong on the paths of an execution that passed, one question for the solver each (Machado,
// PhD thesis, 5.2.2.1, and beyond assertions): an assertion that held, a pointer that was none, two accesses
// that nothing orders, memory that is freed too early, locks that threads wait for in a circle. And, asked in
// the same way: a branch that goes the other way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/search/composition.h"

namespace heddle::search {

enum class GoalKind : std::uint8_t { kAssertion, kNullPointer, kRace, kUseAfterFree, kDeadlock };

struct Goal {
  GoalKind kind = GoalKind::kAssertion;
  std::string thread;            // who fails
  std::uint64_t place = 0;       // pc of the assertion or access; of two, both mixed
  std::uint32_t occurrence = 0;  // of the place in the thread, from 0
  std::uint32_t record = 0;      // kAssertion, kNullPointer: in the tables
  bool fails_there = false;      // kAssertion: the path ends with its failure
  EventId first = kNoEvent;      // kRace, kUseAfterFree: the two events
  EventId second = kNoEvent;
  std::vector<EventId>
      circle;  // kDeadlock: each takes a lock that the thread of the next holds, the last the first's
};

const char* to_string(GoalKind kind);

// Every one that the paths come to; of pairs, a few for each pair of places.
std::vector<Goal> goals_of(const Composition& of);
// The goal on other paths; none: they do not come to it.
std::optional<Goal> find_goal(const Composition& of, const Goal& goal);

// How far the other threads go.
enum class Others : std::uint8_t {
  kWhole,     // all the way
  kStopThen,  // not beyond what they had done when the goal was reached
};

// The paths up to the goal, as a trace whose failure is the goal. None: it cannot be asked about.
std::optional<constraints::SymbolicTrace> ask_for(const Composition& of, const Goal& goal, Others others);
// The paths up to a branch, which goes the other way.
std::optional<constraints::SymbolicTrace> ask_for_flip(const Composition& of, std::uint32_t record,
                                                       Others others);

// Where a thread's path ends: before this record, and after this event.
struct PathEnd {
  std::uint32_t record = 0;
  EventId event = kNoEvent;
};
// Without what the step number `at` of a path is decided by, unless it decided the step before as well.
PathEnd end_before(const Composition& of, const ThreadPath& own, std::size_t at);
// The record of the first step from `at` on that has one.
std::uint32_t record_from(const ThreadPath& own, std::size_t at);
// The composition with threads' paths cut off at `ends`. None: it cannot be cut off there.
std::optional<Composition> ending_at(const Composition& of, const std::map<ThreadId, PathEnd>& ends);
// The question of ask_for_flip where other threads' paths end so.
std::optional<constraints::SymbolicTrace> ask_for_flip_within(const Composition& of, std::uint32_t record,
                                                              const std::map<ThreadId, PathEnd>& ends);

}  // namespace heddle::search
