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
  ActionId at = kNoAction;  // the action that is not feasible
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

  // Under sequential consistency also step by step, with a way back (forward_search.h).
  struct Object {
    std::uint32_t depth = 0;  // of the writer
    std::uint32_t owner = 0;
    std::vector<std::uint32_t> readers;
    std::uint64_t tokens = 0;
    std::vector<std::uint32_t> waiting;  // indices into waits(), not yet signalled for sure
    // Signals to one of those that waited then. Whom it was for shows when one goes on: the earliest signal
    // that it could have been leaves most to the others.
    struct Signal {
      ActionId action = kNoAction;
      std::vector<std::uint32_t> to;  // indices into waits()
    };
    std::vector<Signal> signals;
  };

  struct State {
    std::vector<std::uint64_t> memory;  // by cell
    std::vector<bool> memory_known;     // by cell
    std::vector<ActionId> latest;       // by cell
    std::vector<std::uint32_t> next;    // by thread: ordinal
    std::vector<Object> objects;
    std::vector<bool> signalled;  // by wait
  };
  void start() { reset({}); }
  const State& state() const { return state_; }
  // The action of `thread` that comes next; kNoAction: it is done.
  ActionId next_of(std::uint32_t thread) const {
    const auto own = s_.thread(thread);
    return state_.next[thread] < own.size() ? own[state_.next[thread]] : kNoAction;
  }
  // Executes `id` as the action number `position`. Why it cannot be: then the state is that of nothing, and
  // has to be put back.
  const char* advance(ActionId id, std::uint32_t position);
  // Back to an earlier state, that after the actions of `executed`; those after it are `undone`.
  void put_back(const State& state, std::span<const ActionId> executed, std::span<const ActionId> undone);
  // Is it what it was? Of what has been read so far; false where that is not known.
  bool holds(const Condition& condition);
  // What an action read, where its symbol has a value.
  // May a signal have been for it? If so it is.
  bool may_be_signalled(std::uint32_t wait) const;
  bool take_signal(std::uint32_t wait);
  // Of a wait that took one: who signalled it; kNoAction: nobody, or all were.
  ActionId signal_of(std::uint32_t wait) const { return signal_of_[wait]; }
  bool value_read(ActionId id, std::uint64_t& value) { return values_.evaluate(s_.action(id).symbol, value); }

 private:
  Verdict run(std::span<const ActionId> order, const Execution* weak, bool with_soft);
  void reset(std::span<const ActionId> order);
  const char* judge_axioms();
  const char* step(ActionId id);
  const char* synchronise(ActionId id);
  const char* access(ActionId id);
  void signal(Object& object, ActionId id, bool all);
  bool in_program_order(ActionId id);
  bool judge_conditions(bool with_soft, Verdict& verdict);
  bool bug_shows(std::span<const ActionId> order);

  const Structure& s_;
  const Execution* weak_ = nullptr;
  Evaluation values_;
  State state_;
  std::vector<std::uint64_t> written_;         // by action
  std::vector<std::uint64_t> read_;            // by action, where it has a symbol
  std::vector<bool> written_known_;            // by action
  std::vector<bool> read_known_;               // by action
  std::vector<ActionId> sources_;              // by part
  std::vector<std::uint32_t> position_;        // by action
  std::vector<std::vector<ActionId>> before_;  // forced
  std::vector<std::uint32_t> wait_of_;         // by action that waits, or that is a wake
  std::vector<ActionId> signal_of_;            // by wait
  std::uint64_t executions_ = 0;
};

}  // namespace heddle::constraints
