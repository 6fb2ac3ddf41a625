// Spins. A thread that spins performs visible operations and changes nothing; a store of the value that is
// there already changes nothing either, since whoever reads it gets the same value. When nothing has changed
// for a while, the execution goes on in fair mode: threads take turns, loads read the newest store. If
// something changes then, the spin was only unlucky and the strategy takes over again. If nothing does, and
// every thread that runs keeps returning to private states that it has been in before, no continuation can
// ever change anything: a livelock. A loop that counts (a bounded poll, a benchmark) has a new private state
// each time and is never called one; one that asks for the time is only called one after decades.
#include "core/base/pages.h"
#include "core/base/text_buffer.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/spin_watch.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;

namespace {

// Outside the Execution to keep that small; begun anew whenever fair mode is.
SpinWatch watch;

constexpr std::uint64_t kBetweenBreathers = 40'000;  // visible operations
constexpr std::uint64_t kBreather = 1'000;
bool breather = false;

std::uint64_t next_breather(std::uint64_t steps) {
  return (steps / kBetweenBreathers + 1) * kBetweenBreathers;
}

bool only_looks(EventKind kind) {
  switch (kind) {
    case EventKind::kAtomicLoad:
    case EventKind::kAtomicUpdate:
    case EventKind::kVolatileRead:
    case EventKind::kMutexLock:
    case EventKind::kRwlockReadLock:
    case EventKind::kRwlockWriteLock:
    case EventKind::kSemaphoreWait:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Execution::check_bounds() {
  ExecutionResult& result = channel_.header()->current;
  const std::uint64_t steps = result.steps;
  const std::uint64_t bound = spec().max_steps;
  if (runs_on_) finish(Ending::kFinding, 0);
  if (fair_) {
    if (steps >= fair_until_) {
      if (breather) return end_breather(steps);
      if (steps >= bound) finish(Ending::kCut, 0);
      leave_fair_mode();
    }
    return;
  }
  if (steps < bound && steps - last_change_ >= stagnation_) spin_waits_for_outside();
  const bool stagnating = steps - last_change_ >= stagnation_;
  if (stagnating || steps >= bound) {
    fair_ = true;
    note_pace();
    result.flags |= result_flags::kFairMode;
    // Long enough to be sure; and longer each time, for loops of many operations.
    constexpr std::uint64_t kOfEach = 65'536, kOfAll = 131'072;
    fair_until_ = steps + kOfAll + kOfEach * scheduler_.runnable().size() + 4 * stagnation_;
    next_check_ = fair_until_;
    spin_change_ = last_change_;
    watch.begin();
    return;
  }
  if (steps >= kBetweenBreathers && steps % kBetweenBreathers == 0) return take_breather(steps);
  next_check_ = last_change_ + stagnation_;
  if (next_check_ > next_breather(steps)) next_check_ = next_breather(steps);
  if (next_check_ > bound) next_check_ = bound;
  if (next_check_ <= steps) next_check_ = steps + 1;
}

// The thread is not to run for this time, while others can: a thousand operations of theirs.
void Execution::make_room() {
  constexpr std::uint64_t kTurn = 10'000;
  scheduler_.block(sched::WaitKind::kPause, 0, scheduler_.now() + kTurn);
  run_others();
}

// A loop that changes something at each turn (a counter of its turns) is no spin as above, and can go on for
// ever all the same: a strategy with priorities need not choose another thread, and one that prefers old
// stores need not see the one that the loop waits for. Threads make progress, and stores become visible, in
// finite time
// ([intro.progress]): a long execution is fair for a moment now and then.
void Execution::take_breather(std::uint64_t steps) {
  breather = true;
  fair_ = true;
  note_pace();
  fair_until_ = steps + kBreather;
  next_check_ = fair_until_;
}

void Execution::end_breather(std::uint64_t steps) {
  breather = false;
  fair_ = false;
  note_pace();
  next_check_ = steps + 1;
}

void Execution::stand_back(std::uint64_t pc) {
  if (scheduler_.unfinished_count() < 2) return;
  self().pending = {EventKind::kYield, MemoryOrder::kRelaxed, 0, 0, pc};
  ++channel_.header()->current.steps;
  make_room();
  done(EventKind::kYield, 0);
  record(EventKind::kYield, pc);
}

void Execution::leave_fair_mode() {
  fair_ = false;
  note_pace();
  const std::uint64_t steps = channel_.header()->current.steps;
  // Each fruitless look waits longer for the next: a long quiet computation costs little.
  stagnation_ *= 2;
  last_change_ = steps;
  next_check_ = steps + stagnation_;
  if (next_check_ > spec().max_steps && steps < spec().max_steps) next_check_ = spec().max_steps;
}

void Execution::note_plain_write(Address address, std::uint64_t bytes) {
  if (probing_) return probe_writes(address, bytes);
  watch.note_write(scheduler_.current(), address, bytes);
}

void Execution::observe_spin() {
  if (probing_) return probe_step();
  if (breather || runs_on_) return;
  if (last_change_ != spin_change_) {
    if (channel_.header()->current.steps < spec().max_steps) return leave_fair_mode();
    spin_change_ = last_change_;  // past the bound: fair mode stays, and the look starts over
    return watch.begin();
  }
  Thread& t = self();
  if (only_looks(t.pending.kind)) t.spin = t.pending;
  if (!watch.is_due(t)) return;
  {
    RuntimeScope scope;  // the unwinder takes a mutex
    watch.look(t, private_state(t.id == kMainThread ? address_map::kMainStackEnd : t.stack_top));
  }
  if (watch.makes_progress()) {
    if (channel_.header()->current.steps >= spec().max_steps) finish(Ending::kCut, 0);
    return leave_fair_mode();
  }
  if (t.spin_record.looks % 64 == 0 && is_livelock() && !pass_time_of_spin() && !wait_for_sharers())
    report_livelock();
}

// Who waits may have taken part a moment ago, and will again: two threads that take turns with a lock.
bool Execution::is_livelock() {
  for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
    const Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
    const bool takes_part =
        t.state == ThreadState::kRunnable || (t.state == ThreadState::kBlocked && watch.has_acted(t));
    if (takes_part && !watch.is_caught(t)) return false;
  }
  return true;
}

// Time may end this spin: a timed wait of a thread that takes no part in it, a timer, or what a thread does
// when it sees that it is late.
bool Execution::pass_time_of_spin() {
  std::uint64_t next = timers_.earliest();
  scheduler_.for_each_blocked([&](Thread& t) {
    if (t.deadline < next && !watch.has_acted(t)) next = t.deadline;
  });
  if (next == sched::kNoDeadline) {
    constexpr std::uint64_t kSecond = 1'000'000'000, kFactor = 1024;
    constexpr std::uint64_t kDecades = kSecond << 30;
    if (clock_read_change_ != last_change_) return false;  // nobody asked since
    spin_jump_ = jump_change_ == last_change_ ? spin_jump_ * kFactor : kSecond;
    if (spin_jump_ > kDecades) return false;
    next = scheduler_.now() + spin_jump_;
  }
  leave_fair_mode();
  stagnation_ = spec().stagnation_steps;
  scheduler_.advance_to(next);
  fire_timers();
  changed();
  jump_change_ = last_change_;
  return true;
}

void Execution::report_livelock() {
  {
    TextBuffer<160> text;
    text.decimal(static_cast<std::int64_t>(scheduler_.runnable().size()))
        << (scheduler_.runnable().size() == 1 ? " thread repeats" : " threads repeat")
        << " the same operations for ever and no memory changes";
    FindingBuilder finding(*this, FindingKind::kLivelock, text.c_str());
    for (const ThreadId id : scheduler_.runnable()) {
      const Thread& t = scheduler_.thread(id);
      // The load that the loop turns around, rather than the pause or the yield beside it.
      const sched::PendingOperation& at = t.spin.pc != 0 ? t.spin : t.pending;
      finding.part(PartRole::kHere, t, at.pc).address = at.address;
    }
    finding.cite_other_threads();
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

}  // namespace heddle::engine
