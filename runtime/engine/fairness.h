// Fairness: does an execution go on, or does it only go round?
//
// A thread that spins performs visible operations and changes nothing. A store of the value that is there
// already changes nothing either, since whoever reads it gets the same value. When nothing has changed for a
// while, the execution goes on in fair mode: threads take turns, and loads read the newest store. If something
// changes then, the spin was only unlucky, and the strategy takes over again. If nothing does, and every
// thread that runs keeps returning to private states that it has been in before, no continuation can ever
// change anything: a livelock. A loop that counts (a bounded poll, a benchmark) has a new private state each
// time and is never called one. A loop that asks for the time is called one only after decades.
//
// A loop that changes something at each turn (a counter of its turns) is no spin, and can go on for ever all
// the same. A strategy with priorities need not choose another thread, and one that prefers old stores need
// not see the one that the loop waits for. Threads make progress, and stores become visible, in finite time
// ([intro.progress]). So a long execution is fair for a moment now and then: a breather.
//
// Owns: the mode, the step of the latest change, the step of the next check, how the clock has been asked, and
// what was passed for spins and sleepers. The watch over private states is large and lies elsewhere.
// Invariants:
//   - nothing is to be done before is_due(steps), so the hot path compares two numbers;
//   - while is_fair(), nothing is offered to the strategy;
//   - every mode but hold() ends by itself.
// Steps are visible operations since the execution began. The mediator calls this, and acts on the answers.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/engine/spin_watch.h"
#include "runtime/sched/thread.h"

namespace heddle::engine {

class Fairness {
 public:
  struct Limits {
    std::uint64_t stagnation_steps = 0;  // without a change, until a spin is suspected
    std::uint64_t max_steps = 0;         // of the execution, unless it spins
    bool timed_sleeps = false;           // --sleep timed
  };
  enum class Verdict : std::uint8_t {
    kGoOn,
    kSpins,   // fair mode begins, because nothing changes or the execution is long
    kCut,     // the execution is as long as it may be, and makes progress
    kCaught,  // the thread goes round in a circle: is_livelock() is to be asked
  };

  explicit Fairness(SpinWatch& watch) : watch_(watch) {}

  void start(const Limits& limits);

  bool is_fair() const { return fair_; }
  bool has_timed_sleeps() const { return limits_.timed_sleeps; }
  bool is_due(std::uint64_t steps) const { return steps >= next_check_; }
  // Something changed that another thread could see.
  void changed(std::uint64_t steps) { last_change_ = steps; }
  std::uint64_t last_change() const { return last_change_; }

  // Has nothing changed for so long that somebody outside may be waited for?
  bool suspects_spin(std::uint64_t steps) const {
    return !fair_ && steps < limits_.max_steps && is_stagnating(steps);
  }
  // A check that is due. `runnable`: how many threads can run. The mode may be another one afterwards.
  Verdict check(std::uint64_t steps, std::uint64_t runnable);
  // Fair from here on, without an end of its own; the next check is due at `next_check`.
  void hold(std::uint64_t next_check) {
    fair_ = true;
    next_check_ = next_check;
  }
  // The strategy takes over again. Each fruitless look waits longer for the next: a long quiet computation
  // costs little.
  void leave(std::uint64_t steps);

  // --- in fair mode, at each visible operation.
  // Is the thread's private state to be looked at? The mode may be another one afterwards.
  bool wants_look(sched::Thread& thread, std::uint64_t steps);
  Verdict look(sched::Thread& thread, const PrivateState& state, std::uint64_t steps);
  void note_write(ThreadId thread, Address address, std::uint64_t bytes) {
    watch_.note_write(thread, address, bytes);
  }
  // Who waits may have taken part a moment ago, and will again: two threads that take turns with a lock.
  bool is_livelock(std::span<const sched::Thread> threads) const;
  // Time may end a spin: a timed wait of a thread that takes no part in it, a timer, or what a thread does
  // when it sees that it is late. Answers until when time is to pass, and leaves fair mode; kNoDeadline: time
  // cannot help. `ring`: when the next timer expires.
  std::uint64_t pass_time_of_spin(std::span<const sched::Thread> threads, std::uint64_t ring,
                                  std::uint64_t now, std::uint64_t steps);

  // --- time.
  // The program asks for the time: by how many nanoseconds the clock has moved. A loop that waits for the
  // clock must not take as many turns as there are microseconds in the wait.
  std::uint64_t clock_moves();
  void slept() { clock_reads_ = 0; }
  // With --sleep timed, while threads run on and on, a sleep must end, too. True: its time has come.
  bool sleepers_are_due();

 private:
  bool is_stagnating(std::uint64_t steps) const { return steps - last_change_ >= stagnation_; }
  void begin_spin(std::uint64_t steps, std::uint64_t runnable);
  void plan_next_check(std::uint64_t steps);

  SpinWatch& watch_;
  Limits limits_;
  bool fair_ = false;
  bool breather_ = false;
  std::uint32_t clock_reads_ = 0;
  std::uint32_t turns_of_sleepers_ = 0;  // visible operations since time was last passed for a sleeper
  std::uint64_t last_change_ = 0;
  std::uint64_t clock_read_change_ = ~0ull;
  std::uint64_t next_check_ = 0;
  std::uint64_t stagnation_ = 0;
  std::uint64_t fair_until_ = 0;
  std::uint64_t spin_change_ = 0;
  std::uint64_t spin_jump_ = 0;  // by how much time was last passed for a spin, in nanoseconds
  std::uint64_t jump_change_ = 0;
};

}  // namespace heddle::engine
