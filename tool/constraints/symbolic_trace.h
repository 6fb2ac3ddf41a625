// A symbolic trace in the form that constraints are built from (Machado, PhD thesis, 4.1.2): what each thread
// did to shared memory and to objects of synchronisation, and the formulas behind the values. With them come the
// conditions that must hold for the threads to take the same paths.
//
// Actions are in the order of the execution that was traced. A schedule is another order of the same actions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/trace/event.h"
#include "core/trace/symbolic.h"

namespace heddle::constraints {

using symbolic::Expression;
using symbolic::ExpressionId;
using symbolic::kConcrete;
using symbolic::Operator;

using ActionId = std::uint32_t;  // index into SymbolicTrace::actions
inline constexpr ActionId kNoAction = ~0u;

struct Action {
  EventKind kind = EventKind::kNone;  // accesses and synchronisation
  MemoryOrder order = MemoryOrder::kRelaxed;
  std::uint8_t size = 0;   // bytes, of accesses; at most 8
  std::uint8_t flags = 0;  // event_flags
  ThreadId thread = kMainThread;
  ThreadId other = kNoThread;
  Address address = 0;
  std::uint64_t read_value = 0;  // in the execution that was traced
  std::uint64_t value = 0;       // written; of kCondWait its mutex; of semaphores and barriers their count
  ExpressionId written = kConcrete;  // kConcrete: `value`
  ExpressionId symbol = kConcrete;   // of what was read, where the value went anywhere
  ActionId reads_from = kNoAction;   // atomic reads; kNoAction: the initial value
  std::uint32_t mo_position = 0;     // atomic writes: place in the modification order; 0: not known
  EventId event = kNoEvent;          // where it comes from; kNoEvent: synthetic
  // In schedules that do not fail, locks held at the failure are let go in the end, and a lock that a thread of
  // a deadlock waits for is taken (4.2.2).
  bool synthetic = false;

  bool reads() const;
  bool writes() const;
  bool is_atomic() const;
  bool is_access() const { return reads() || writes(); }
};

// An expression of one bit that was `holds` in the execution.
struct Condition {
  ExpressionId expression = kConcrete;
  bool holds = true;
  bool soft = false;  // a value that was taken for concrete: an address, an argument of foreign code
  ThreadId thread = kMainThread;
};

enum class BugKind : std::uint8_t {
  kCondition,     // an assertion, an abort, a null pointer: `condition`
  kRace,          // of `first` and `second`, which nothing orders
  kDeadlock,      // the threads that end by an attempt to lock, which is synthetic
  kUseAfterFree,  // `first` frees what `second` touches
};

struct Bug {
  BugKind kind = BugKind::kCondition;
  Condition condition;  // of the failure: it failed because this was so
  ActionId first = kNoAction;
  ActionId second = kNoAction;
};

struct SymbolicTrace {
  std::vector<Action> actions;
  // Expression 0 is kConcrete. The first operand of a kSymbol is the ActionId that read it.
  std::vector<Expression> expressions;
  std::vector<Condition> conditions;
  Bug bug;
  std::uint64_t concretised = 0;  // how many conditions are soft
  // Threads may come from several executions: then a read tells by event_flags::kInitial alone whether memory
  // was as at first, and values that other executions saw there are in `initial`, byte by byte.
  bool is_composed = false;
  std::map<Address, std::uint8_t> initial;
};

// What failed, as the finding has it.
struct Failure {
  BugKind kind = BugKind::kCondition;
  EventId first = kNoEvent;  // kRace, kUseAfterFree: the two accesses, or the free and the access
  EventId second = kNoEvent;
  // kDeadlock: who waits for which lock.
  struct Waiter {
    ThreadId thread = kMainThread;
    Address lock = 0;
  };
  std::vector<Waiter> waiters;
};

// From the sections of the channel: whatever they hold, an error or a trace that keeps validate()'s promises.
Result<SymbolicTrace> symbolic_trace(std::span<const Event> events, std::span<const Expression> expressions,
                                     std::span<const symbolic::Record> records, const Failure& failure);

// Lets go of the locks that are held at the end, thread by thread, last taken first.
void add_synthetic_unlocks(SymbolicTrace& trace);

// Empty, or what is wrong: an operand that does not come before, a width that does not fit, a symbol of an
// action that reads nothing, a bug about actions that are not there.
std::string validate(const SymbolicTrace& trace);

}  // namespace heddle::constraints
