// Decides a given order of all actions by executing it: linear in its length, no solver.
//
// Sequential consistency: every read returns the latest write. C++20: a read of an atomic returns the write
// that it is said to, and the axioms are checked. Locks exclude each other, a wait ends by a signal that was
// given meanwhile, a semaphore has a token, what is forced (Structure) is kept; then the values that flow
// make every thread's branches come out as they did, or not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tool/constraints/execution.h"
#include "tool/constraints/expressions.h"
#include "tool/constraints/structure.h"

namespace heddle::constraints {

using Schedule = std::vector<ActionId>;  // all included actions

struct Verdict {
  bool feasible = false;
  bool fails = false;       // the bug shows; only where feasible
  std::string reason;       // why not feasible
  ActionId at = kNoAction;  // … and where
};

class Simulation {
 public:
  explicit Simulation(const Structure& structure);

  // `with_soft`: values that were taken for concrete must be what they were.
  Verdict run(std::span<const ActionId> order, bool with_soft = true);
  // By the axioms of C++20.
  Verdict run(const Execution& execution, bool with_soft = true);
  // After run(): what each part read; kNoAction is the initial value.
  std::span<const ActionId> sources() const { return sources_; }
  std::uint64_t executions() const { return executions_; }

 private:
  struct Object {
    std::uint32_t depth = 0;  // of the writer
    std::uint32_t owner = 0;
    std::vector<std::uint32_t> readers;
    std::uint64_t tokens = 0;
    std::vector<std::uint32_t> waiting;  // indices into waits(), not yet signalled
  };

  Verdict run(std::span<const ActionId> order, const Execution* weak, bool with_soft);
  void reset(std::span<const ActionId> order);
  const char* judge_axioms();
  const char* step(ActionId id);
  const char* synchronise(ActionId id);
  const char* access(ActionId id);
  void signal(Object& object, bool all);
  bool in_program_order(ActionId id);
  bool judge_conditions(bool with_soft, Verdict& verdict);
  bool bug_shows(std::span<const ActionId> order);

  const Structure& s_;
  const Execution* weak_ = nullptr;
  Evaluation values_;
  std::vector<std::uint64_t> written_;   // by action
  std::vector<bool> written_known_;      // by action
  std::vector<std::uint64_t> memory_;    // by cell
  std::vector<bool> memory_known_;       // by cell
  std::vector<ActionId> latest_;         // by cell
  std::vector<ActionId> sources_;        // by part
  std::vector<std::uint32_t> next_;      // by thread: ordinal
  std::vector<std::uint32_t> position_;  // by action
  std::vector<Object> objects_;
  std::vector<std::vector<ActionId>> before_;  // forced
  std::vector<bool> signalled_;                // by wait
  std::vector<std::uint32_t> wait_of_;         // by action that waits, or that is a wake
  std::uint64_t executions_ = 0;
};

}  // namespace heddle::constraints
