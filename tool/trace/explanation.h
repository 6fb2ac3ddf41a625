// Why an execution failed: what differs from one that is nearly the same and passes, and what a change of the
// program would have to bring about. Plain data: made by tool/cause, shown by tool/report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/enforcement.h"
#include "tool/trace/trace.h"

namespace heddle {

// Who read what whom wrote.
struct Flow {
  EventId reader = kNoEvent;
  EventId writer = kNoEvent;  // kNoEvent: what was there at first
};

// One of the two executions of a projection.
struct ProjectedRun {
  Trace trace;                  // with plain accesses to shared memory
  std::vector<EventId> kept;    // the events that differ, in order
  std::vector<Flow> flows;      // data flows that the other one does not have; those of one place beside each
                                // other, without a reader where it does not come there
  std::vector<EventId> parted;  // the first that a thread does on a path of its own
};

// In the language of fixes. A row for each: its name in JSON, and what it is in the table of the guide.
enum class RemedyKind : std::uint8_t {
  kOrders,       // stronger memory orders
  kTogether,     // operations that should be one step: one critical section, one read-modify-write
  kAfter,        // an operation that has to wait for another one
  kLock,         // plain accesses that need one lock
  kAtomic,       // plain accesses that need to be atomic
  kLockOrder,    // the locks of a deadlock, in one order or in one step
  kHoldLock,     // a lock to be held while something is written
  kNotifyAll,    // for notify_one
  kRecheck,      // a wait that has to look again after it was woken
  kStartLater,   // a thread that is started before what it uses is there
  kPublishLast,  // what is published before it is complete
  kJoinBefore,   // threads to wait for before something ends that they use
  kKeepAlive,    // memory that has to live until its last use
  kFence,        // fences between operations
};
const char* name_of(RemedyKind kind);  // in JSON: "hold_lock"

// An operation that shows what a place of a rule is.
struct ShownOperation {
  TraceEvent event;      // kNone: only the place is known
  Frame frame;           // the user's
  std::string variable;  // empty: it has no name
};

struct RemedyPart {
  EnforcedRule rule;
  ShownOperation shown;        // at rule.place
  ShownOperation other_shown;  // at rule.other
  // kTogether: accesses between which others came, and which should not have; kNone: not known.
  ShownOperation first_access, last_access;
  Frame from,
      to;  // of that: where the user's function that does both does the one and the other; empty: there is none
  MemoryOrder was = MemoryOrder::kRelaxed;  // kStrengthen
  std::string
      lock;  // kHoldLock, kTogether: the program's lock to be held; empty: none is known, or it has no name
};

// What makes the bug go away, tried by holding executions to it.
struct Remedy {
  RemedyKind kind = RemedyKind::kOrders;
  std::vector<RemedyPart> parts;
  std::uint64_t executions = 0;         // under it, without the bug
  bool is_complete = false;             // these are all that there are
  std::vector<std::string> other_bugs;  // that showed under it, with their places
  double behaviours_kept = 1;           // share of the behaviours without it, by a sample
};

// One ordering without which the execution would pass.
struct CauseOrdering {
  enum class Kind : std::uint8_t {
    kBefore,        // `first` comes before `second`
    kReads,         // `second` reads what `first` wrote; kNoEvent: the initial value
    kModification,  // `first` comes before `second` in the modification order
  };
  Kind kind = Kind::kBefore;
  EventId first = kNoEvent;
  EventId second = kNoEvent;
};

// Of executions that begin as the failing one and go on at random, how many fail.
struct CurvePoint {
  std::uint32_t choices = 0;  // of the failing execution, that were made
  EventId event = kNoEvent;   // the first after the last of these; kNoEvent: the beginning, or not known
  std::uint64_t executions = 0, failed = 0;
  double low = 0, high = 1;  // of the share, with 95 %
};
// A choice after which more of them fail, from this share to that.
struct CurveJump {
  std::uint32_t choices = 0;  // of the failing execution, that were made then
  EventId event = kNoEvent;
  double from = 0, to = 0;
};
struct FailureCurve {
  std::vector<CurvePoint> points;  // by choices
  std::vector<CurveJump> jumps;    // the largest first
  std::uint64_t executions = 0;
};

struct Explanation {
  bool by_intervention = true;  // the other execution was found by trying, not by solving
  bool on_other_paths = false;  // threads of the other execution take other branches
  std::string why_not_solved;   // where a --full build was explained by intervention all the same
  // By solving: what of the failing execution cannot go together with one that passes, a minimal set.
  std::vector<CauseOrdering> root_cause;
  bool root_cause_is_minimal = false;
  std::uint64_t pairs_tried = 0;
  double symbolic_seconds = 0;
  double solver_seconds = 0;
  // Where it was asked for: a failing execution from its paths alone, without the order that was observed.
  std::uint64_t constraints = 0;  // unknowns of the solver
  struct Clauses {
    std::uint64_t path = 0, synchronisation = 0, read_write = 0, memory_order = 0;
  } clauses;                    // by what they are of
  double failing_seconds = -1;  // negative: none was found
  ProjectedRun failing;
  std::optional<ProjectedRun> passing;
  std::uint64_t interventions = 0;  // executed to find one that passes
  std::uint64_t passed = 0;         // how many of them did
  std::uint64_t all_events = 0;     // of the failing execution that could be in a projection
  std::uint64_t all_flows = 0;
  FailureCurve curve;  // empty: it was not asked for, or there is no choice
  std::optional<Remedy> remedy;
  std::uint64_t remedies_tried = 0;
  bool remedies_cut = false;            // the time was up before all of them were
  std::uint64_t remedies_left = 0;      // so many more, about
  std::uint64_t remedies_unproven = 0;  // that helped, but there was no time to try them often enough
  double seconds_needed = 0;  // for all of them, about, with all else that explaining takes; 0: not known
  std::uint64_t base_executions = 0;  // until the bug shows without a remedy; 0: not within the budget
};

}  // namespace heddle
