// What the mediator does about outside_world.h: it lets threads wait, records calls, and makes edges.
#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/signals.h"

namespace heddle::engine {

using sched::BlockingCall;
using sched::Thread;
using sched::WaitKind;

class Execution::OutsideView final : public OutsideHost {
 public:
  explicit OutsideView(Execution& e) : e_(e) {}
  bool take_arrived_signals() override { return engine::take_arrived_signals(e_); }
  bool handles_signal(int signal) override { return e_.signals_.has_handler(signal); }
  void send(const sched::QueuedSignal& signal) override { queue_signal(e_, signal); }
  void changed() override { e_.changed(); }
  void waits_for_real() override { e_.note_flag(result_flags::kOtherProcess); }

 private:
  Execution& e_;
};

Execution::Awaited Execution::await_outside(const BlockingCall& call, std::uint64_t deadline) {
  Thread& t = self();
  world_.park(t, call);
  const bool woken = wait(WaitKind::kOutside, 0, deadline);
  world_.unpark(t);
  if (t.interrupted) return Awaited::kInterrupted;
  return woken ? Awaited::kReady : Awaited::kTimedOut;
}

void Execution::child_started() {
  world_.child_started();
  note_flag(result_flags::kChildProcess);
  changed();
}

// Nobody can run. False: nothing can ever change that.
bool Execution::pass_time() {
  OutsideView view(*this);
  const OutsideWorld::Passed passed = world_.pass_time(view);
  if (passed == OutsideWorld::Passed::kNobodyCame) finish(Ending::kCut, 0);
  return passed == OutsideWorld::Passed::kSomething;
}

void Execution::wait_with_spins() {
  OutsideView view(*this);
  world_.wait_with_spins(view);
}

// Where threads look at memory that other processes may write, that is never called a livelock.
bool Execution::wait_for_sharers() {
  if (!world_.wait_for_sharers(scheduler_.runnable())) return false;
  fairness_.leave(steps());
  changed();
  return true;
}

void Execution::fire_timers() {
  OutsideView view(*this);
  world_.fire_timers(view);
}

void Execution::acquire_descriptor(int descriptor) {
  edges_.acquire(world_.clock_of(descriptor), scheduler_.current());
}

void Execution::release_descriptor(int descriptor) { edges_.release(world_.clock_of(descriptor)); }

void Execution::note_call(const char* name, long descriptor, long result, std::uint64_t pc) {
  if (Event* e = record(EventKind::kBlockingCall, pc)) {
    e->value = static_cast<std::uint64_t>(descriptor);
    e->value2 = static_cast<std::uint64_t>(result);
    e->text = channel_.add_text(name, strlen(name));
    e->flags = result < 0 ? event_flags::kFailed : 0;
  }
}

}  // namespace heddle::engine
