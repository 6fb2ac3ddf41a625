// Small straight-line programs with locks, branches and arithmetic, and an interpreter that knows nothing of
// constraints: what the solver is compared with.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/constraints/trace_builder.h"

namespace heddle::constraints {

struct Instruction {
  enum class Kind { kRead, kWrite, kAdd, kLock, kUnlock, kBranch, kAssert } kind = Kind::kRead;
  int variable = 0;                 // or mutex
  int destination = 0, source = 0;  // registers
  int constant = 0;
};
using Thread = std::vector<Instruction>;
using Threads = std::vector<Thread>;

// The instructions that are actions of a trace, in the order of execution: by thread.
using Interleaving = std::vector<int>;

struct Run {
  bool deadlocked = false;
  std::vector<bool> branches;  // by thread, in program order
  bool assertion_failed = false;
};

Threads random_threads(Random& random);
std::size_t visible_actions(const Thread& thread);
Run execute(const Threads& threads, const Interleaving& order);
void for_each_interleaving(const Threads& threads, const std::function<void(const Interleaving&)>& visit);
SymbolicTrace trace_of(const Threads& threads, const Interleaving& order);

}  // namespace heddle::constraints
