// Strategy: given a choice point, returns the index of the alternative to take. Random search, PCT,
// exhaustive search, replay and minimising are all strategies or decorators of one.
//
// To add a strategy: one file in this folder, one line in registry.cpp (docs/add-a-strategy.md).
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/trace/choice.h"
#include "core/trace/event.h"

namespace heddle::strategy {

// What a strategy may know about a thread at a choice of threads: the operation it would perform.
struct NextOperation {
  EventKind kind = EventKind::kNone;
  MemoryOrder order = MemoryOrder::kRelaxed;
  Address address = 0;
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
  const ChoiceKey* keys =
      nullptr;  // other kinds: the alternatives; nullptr: alternative i means the number i

  ChoiceKey key(std::uint32_t i) const {
    if (threads != nullptr) return ChoiceKey::thread(threads[i]);
    return keys != nullptr ? keys[i] : ChoiceKey::number(i);
  }
};

// What strategies may ask of the execution. Implemented by the engine.
class View {
 public:
  virtual NextOperation next_operation(ThreadId thread) const = 0;

 protected:
  ~View() = default;
};

class Strategy {
 public:
  // Execution `index` of the campaign with this seed begins. Everything random is drawn from the two.
  virtual void begin(std::uint64_t seed, std::uint64_t index, const View& view) = 0;
  virtual std::uint32_t choose(const ChoicePoint& point) = 0;
  // Called in the process that starts executions, before each: false when there is none left to try. A
  // strategy that learns from one execution for the next keeps what it knows in memory that both share.
  virtual bool prepare_next() { return true; }
  // After prepare_next() said false: was every execution tried that there is?
  virtual bool explored_all() const { return false; }
  // Are the choices of an execution a function of seed and index alone? Otherwise only its log can repeat it.
  virtual bool repeatable_by_index() const { return true; }
  // True when the log that is being replayed does not fit the program (exact replay only).
  virtual bool diverged() const { return false; }
  // Of a strategy that draws every choice by below(count) from one generator: that generator, so that the
  // engine can draw without a call. Asked once, after begin. All others: nullptr.
  virtual Random* uniform() { return nullptr; }

 protected:
  ~Strategy() = default;
};

}  // namespace heddle::strategy
