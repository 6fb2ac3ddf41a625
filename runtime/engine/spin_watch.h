// Are the threads of an execution caught in loops that nothing can end? The watch is told, while nothing
// changes that another thread could see, in which private states threads are at their visible operations, and
// what they have written. A thread that comes back to a state goes round in a circle, for as long as memory
// stays as it is.
//
// Which states count. A function that is called in the loop leaves its frame and enters it again. What it has
// not written yet in a new frame is what others have left there, and no state of the program. So of each thread
// those states count that lie furthest out: there the frames stay from turn to turn.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "runtime/engine/spin_state.h"
#include "runtime/sched/thread.h"

namespace heddle::engine {

class SpinWatch {
 public:
  // What was seen so far no longer counts: something has changed.
  void begin();

  // The running thread writes there by a plain access: private state, too, if it lies in memory.
  void note_write(ThreadId thread, Address address, std::uint64_t bytes);

  // A visible operation of the thread. True: its state is to be looked at. To know that takes the unwinder,
  // microseconds: one operation in eight is looked at, in no order that a loop's own could be in step with.
  bool is_due(sched::Thread& thread);
  void look(sched::Thread& thread, const PrivateState& state);

  // Has the thread been in states that it had been in before, and in no others, for long, while no thread was
  // in a new one?
  bool is_caught(const sched::Thread& thread) const;
  // Has it acted at all since no thread was in a new state?
  bool has_acted(const sched::Thread& thread) const;
  // Ever new states: somebody is computing.
  bool makes_progress() const;

 private:
  bool insert(std::uint64_t state);
  std::uint64_t take_writes(ThreadId thread);

  static constexpr std::uint32_t kStates = 1u << 14;
  static constexpr std::uint32_t kAllNew = 1024;    // so many looks without a state seen twice: no spin
  static constexpr std::uint32_t kLooks = 4096;     // of a thread that is caught, at any state
  static constexpr std::uint32_t kReturns = 64;     // of those looks, at known states that count
  static constexpr std::uint32_t kWrites = 512;     // places
  static constexpr std::uint64_t kMostBytes = 256;  // of one write that are looked at
  struct Write {
    Address address;  // 0: none
    std::uint32_t bytes;
    ThreadId thread;
  };

  std::uint64_t seen_[kStates] = {};  // open addressing, 0 is empty
  Write writes_[kWrites] = {};        // open addressing; those of each thread since it was last looked at
  std::uint32_t write_count_ = 0;
  std::uint64_t overflows_ = 0;  // there was no room for all writes: one look is told from the next by this
  std::uint32_t round_ = 0;      // since begin()
  std::uint32_t era_ = 0;        // since a state was new
  std::uint32_t counted_ = 0;    // looks at states that count
  std::uint32_t states_ = 0;     // different ones
  std::uint32_t inserted_ = 0;   // in seen_
};

// The one of the process. It is large, and not between what changes in every execution.
SpinWatch& spin_watch();

}  // namespace heddle::engine
