// OutsideWorld: what threads of the program wait for that is no thread of it: descriptors, child processes,
// timers, other processes (docs/guide/outside-world.md).
//
// A blocking call asks the kernel without blocking. Where the answer is "not yet", its thread is parked here
// and the others run. Whatever they do with descriptors makes parked threads ask again. When nobody can run,
// time passes; when only the outside can help, the process waits for it for real.
//
// Owns: how many threads are parked, how many children the program has, the timers, the clocks of descriptors,
// and how long the outside has been waited for while threads spin.
// Invariants:
//   - a parked thread is blocked with WaitKind::kOutside and has its call; parked() counts these threads;
//   - while there are children, what they do is seen only when all threads wait: how fast they are must not
//     decide what threads do;
//   - the real time that passes is never told to the program.
// Nothing here chooses. The mediator calls this, and implements OutsideHost.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "runtime/engine/descriptor_clocks.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/signals.h"
#include "runtime/sched/timers.h"

namespace heddle::engine {

// What the outside world asks of the execution.
class OutsideHost {
 public:
  // Queues what the kernel has delivered. True: something has come, and a thread can run.
  virtual bool take_arrived_signals() = 0;
  virtual bool handles_signal(int signal) = 0;
  // A timer of the program sends this signal.
  virtual void send(const sched::QueuedSignal& signal) = 0;
  // Threads can see that something has changed.
  virtual void changed() = 0;
  // The process waits for others: real time has passed.
  virtual void waits_for_real() = 0;

 protected:
  ~OutsideHost() = default;
};

class OutsideWorld {
 public:
  // Can anybody outside the program still do something for its waiting threads?
  enum class Outlook : std::uint8_t { kNothing, kIdle, kAlive };
  // What came of the wait of all threads.
  enum class Passed : std::uint8_t {
    kNothing,     // nothing can ever change
    kSomething,   // time has passed, or something has come: threads may be able to run
    kNobodyCame,  // a server without clients: what it did so far is all there is
  };

  explicit OutsideWorld(sched::Scheduler& scheduler) : scheduler_(scheduler) {}

  // --- calls that wait.
  void park(sched::Thread& thread, const sched::BlockingCall& call) {
    thread.blocking_call = &call;
    ++parked_;
  }
  void unpark(sched::Thread& thread) {
    --parked_;
    thread.blocking_call = nullptr;
  }
  std::uint32_t parked() const { return parked_; }
  // Some thread did something that calls of others may wait for.
  void io_happened() {
    if (parked_ != 0 && children_ == 0) wake_ready_calls();
  }
  bool wake_ready_calls();
  // Nobody can run.
  Passed pass_time(OutsideHost& host);
  // Threads run and nothing changes. If the outside could change that, it gets some real time to do so.
  void wait_with_spins(OutsideHost& host);
  // Threads go round and round. Those that look at memory which other processes may write give these some real
  // time. Whether there is anybody is not known. False: nobody looks at such memory.
  bool wait_for_sharers(std::span<const ThreadId> spinning) const;

  // --- child processes.
  void child_started() {
    ++children_;
    had_children_ = true;
  }
  void child_reaped() {
    if (children_ != 0) --children_;
  }
  bool has_children() const { return children_ != 0; }

  // --- timers, in virtual time: a signal is sent, or a timerfd becomes readable.
  sched::TimerTable& timers() { return timers_; }
  const sched::TimerTable& timers() const { return timers_; }
  void fire_timers(OutsideHost& host);

  // Through which clock the descriptor's traffic goes.
  std::uint32_t& clock_of(int descriptor) { return descriptor_clocks_.of(descriptor); }

 private:
  // outlook.cpp
  Outlook outlook(OutsideHost& host, bool spinning = false) const;
  bool something_came(OutsideHost& host);
  bool wait_for_real(OutsideHost& host, std::uint64_t most_nanoseconds);

  sched::Scheduler& scheduler_;
  std::uint32_t parked_ = 0;    // threads in blocking calls
  std::uint32_t children_ = 0;  // processes that the program has started and not waited for
  bool had_children_ = false;
  std::uint64_t patience_ns_ = 0;
  sched::TimerTable timers_;
  DescriptorClocks descriptor_clocks_;
};

}  // namespace heddle::engine
