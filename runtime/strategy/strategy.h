// Strategy: given a choice point, returns the index of the alternative to take. Random search, PCT,
// exhaustive search, replay and minimising are all strategies or decorators of one.
//
// What a strategy is told. At a choice it sees the alternatives, and through the View the operation that each
// thread would perform next and the modification order of the stores that a load may read. One that has to
// follow the execution answers observer(): it is then told of every operation that was performed and of every
// edge that creation, join and synchronisation objects make. One that does not pays nothing for it.
//
// What it may keep. Choices are a function of the seed, of the execution's index and, through Learning, of
// executions in earlier rounds (core/trace/learning.h). All other memory is put back before each execution.
//
// To add a strategy: CONTRIBUTING.md.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/trace/choice.h"
#include "core/trace/event_kinds.h"
#include "core/trace/learning.h"

namespace heddle {
struct ExecutionResult;
}

namespace heddle::strategy {

// What a strategy may know about a thread at a choice of threads: the operation it would perform. A
// compare-exchange is kAtomicUpdate, with the order of its success. kNone: several at once, in a scope that
// is not explored.
struct NextOperation {
  EventKind kind = EventKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;
  std::uint8_t size = 0;
  Address address = 0;
  std::uint64_t pc = 0;
};

struct ChoicePoint {
  ChoiceKind kind = ChoiceKind::kThread;
  ThreadId thread = kMainThread;    // who is deciding: the running thread
  bool thread_can_continue = true;  // kThread: is `thread` among the alternatives
  std::uint32_t count = 0;          // alternatives, at least 2
  std::uint32_t fallback = 0;       // the unsurprising one: go on, newest store, no spurious failure
  std::uint32_t alternatives_hash = 0;
  std::uint64_t step = 0;             // visible operations so far
  const ThreadId* threads = nullptr;  // kThread: the alternatives
  // Other kinds: the alternatives; nullptr: alternative i means the number i. kReadsFrom: stores as
  // ChoiceKey::store, the last one executed first.
  const ChoiceKey* keys = nullptr;
  std::uint32_t location = 0;  // kReadsFrom: of which object

  ChoiceKey key(std::uint32_t i) const {
    if (threads != nullptr) return ChoiceKey::thread(threads[i]);
    return keys != nullptr ? keys[i] : ChoiceKey::number(i);
  }
};

// A place in memory that atomic operations access. Memory that starts anew gets another number.
struct Location {
  std::uint32_t number = 0;
  std::uint8_t size = 0;
  Address address = 0;
};

// What strategies may ask of the execution. Implemented by the engine.
class View {
 public:
  virtual NextOperation next_operation(ThreadId thread) const = 0;
  virtual std::uint32_t unfinished_threads() const = 0;

  // During a choice of kReadsFrom: the alternatives that come last in modification order, the latest first,
  // at most `most` of them. Answers how many. Stores that are not ordered count in the order of execution.
  virtual std::uint32_t latest_stores(std::uint32_t* alternatives, std::uint32_t most) const = 0;
  // The alternative that comes first in modification order, of those after `store`.
  virtual std::uint32_t nearest_store(ChoiceKey store) const = 0;
  // Does `a` come before `b` in the modification order of the location? Where nothing orders them: was it
  // executed before?
  virtual bool store_precedes(const Location& location, ChoiceKey a, ChoiceKey b) const = 0;
  // Visible operations before the latest one that changed something which another thread could see.
  virtual std::uint64_t latest_change() const { return 0; }
  // The event that comes next, where events are recorded.
  virtual EventId next_event() const { return kNoEvent; }

 protected:
  ~View() = default;
};

// An operation that was performed.
struct Operation {
  ThreadId thread = kMainThread;
  EventKind kind = EventKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;  // of a failed compare-exchange: the failure's
  Location location;                          // atomic accesses
  Address address = 0;
  std::uint64_t pc = 0;
  bool in_scope = false;  // performed in one step with what came before, in a scope that is not explored
  bool reads = false;
  bool writes = false;
  ChoiceKey read;     // which store
  ChoiceKey written;  // the new one
};

class Observer {
 public:
  virtual void performed(const Operation& operation) = 0;
  // What happened before carries over: from the creator to the new thread, from the one that ended to who has
  // joined it, from who has released an object to who acquires it. Objects are numbered from 1.
  virtual void created(ThreadId, ThreadId) {}
  virtual void joined(ThreadId, ThreadId) {}
  virtual void released(ThreadId, std::uint32_t) {}
  virtual void acquired(ThreadId, std::uint32_t) {}
  // Of tests of objects (<heddle/lin.hpp>): so many calls of an operation are to come, in all threads; a
  // thread begins one, and has done it. All that were planned before a piece begins are done.
  virtual void operations_planned(std::uint32_t, std::uint32_t) {}
  virtual void piece_begins() {}
  virtual void operation_called(ThreadId, std::uint32_t) {}
  virtual void operation_returned(ThreadId) {}

 protected:
  ~Observer() = default;
};

class Strategy {
 public:
  // Once, before the first execution: what the campaign has learned. nullptr: there is no campaign.
  virtual void attach(Learning*) {}
  // Execution `index` of the campaign with this seed begins. Everything random is drawn from the two.
  virtual void begin(std::uint64_t seed, std::uint64_t index, const View& view) = 0;
  virtual std::uint32_t choose(const ChoicePoint& point) = 0;
  // Asked once, after begin.
  virtual Observer* observer() { return nullptr; }
  // The execution is over: what the strategy has to say about it.
  virtual void end(ExecutionResult&) {}
  // Leaves what was learned to later executions of the campaign; not called where an execution is run once
  // more. May be called in another process than the one that ran it, which may have crashed.
  virtual void teach(const ExecutionResult&) {}
  // How many executions of the campaign have to be over before this one may begin: those of earlier rounds,
  // for one that learns.
  virtual std::uint64_t needs(std::uint64_t index) const {
    static_cast<void>(index);
    return 0;
  }
  // Called in the process that starts executions, before each, when those that it needs are over: false when
  // there is none left to try. What one execution leaves for the next has to be in memory that both share.
  virtual bool prepare_next(std::uint64_t index) {
    static_cast<void>(index);
    return true;
  }
  // Which execution of the campaign is this, as the program sees it? What the system tells it (getrandom and
  // its like) is drawn from the answer.
  virtual std::uint64_t stands_for(std::uint64_t index) const { return index; }
  // Does the tool wait for each result before it goes on?
  virtual bool each_is_awaited() const { return false; }
  // After prepare_next() said false: was every execution tried that there is?
  virtual bool explored_all() const { return false; }
  // Are the choices of an execution a function of seed and index (and of what was learned) alone? Otherwise
  // only its log can repeat it.
  virtual bool repeatable_by_index() const { return true; }
  // Asked once, after begin: may one of the next two come to be true in this execution?
  virtual bool may_break_off() const { return true; }
  // True when the log that is being replayed does not fit the program (exact replay only).
  virtual bool diverged() const { return false; }
  // True when the rest of the execution would only repeat another one. Asked after choices and, of observers,
  // after operations.
  virtual bool abandoned() const { return false; }
  // Of a strategy that draws every choice by below(count) from one generator: that generator, so that the
  // engine can draw without a call. Asked once, after begin. All others: nullptr.
  virtual Random* uniform() { return nullptr; }
  // Of a strategy under which threads run on: how many operations the running thread goes on for before it is asked
  // again whose turn it is. The engine counts down. A thread that yields, and one that cannot go on, is asked about at
  // once. Asked once, after begin. All others: nullptr.
  virtual std::uint32_t* stay() { return nullptr; }

 protected:
  ~Strategy() = default;
};

}  // namespace heddle::strategy
