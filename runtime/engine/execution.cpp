#include "runtime/engine/execution.h"

#include <signal.h>

#include "core/base/limit.h"
#include "core/base/raw_syscall.h"
#include "core/trace/event.h"
#include "runtime/engine/debugger.h"
#include "runtime/engine/injection.h"
#include "runtime/engine/signals.h"
#include "runtime/engine/waits.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

int RuntimeScope::depth = 0;

namespace {

// The engine that limits of all rooms are told to.
Execution* limited = nullptr;

}  // namespace

void Execution::start(Channel channel, strategy::Strategy* strategy, const SessionHooks& hooks) {
  channel_ = channel;
  hooks_ = hooks;
  limited = this;
  limit_hook = [](const char* name, const char* advice) { limited->stop_at_limit(name, advice); };
  scheduler_.start();
  sync_.start();
  locks_.start();
  events_.start(channel, spec().record_events != 0);
  stacks_.start(channel, spec().symbolic != 0);
  fairness_.start({spec().stagnation_steps, spec().max_steps, spec().sleep == SleepKind::kTimed});
  OrderTable* const orders = channel_.orders();
  elements_.start(orders, orders != nullptr && is_profile(orders->runs, spec().plain_events));
  rules_.start({spec().rules, spec().rule_count});
  enforcing_ = rules_.any() || elements_.any();
  note_pace();
  choices_.start(channel, strategy,
                 {spec().max_spurious, spec().sleep == SleepKind::kTimed ? 0 : spec().max_spurious,
                  memory::model_of(spec().model).reads_old_stores});
  outside_.reseed(mix(spec().seed, 0x6f757473696465ull));
  memory_.reset(memory::Options::from(spec()));
  program_heap().set_limit(spec().address_space_limit);
  edges_.start();
  // Where the address space cannot be had, everything but races is still found.
  const bool detecting = race_.start(events_.is_on() ? race::Mode::kPrecise : race::Mode::kFast);
  if (!detecting) note_flag(result_flags::kNoRaceDetection);
  if (detecting) enter_epoch();
  plain_.start(detecting, spec().plain_events != PlainEvents::kNone || rules_.locks_plain_accesses() ||
                              spec().visible.any());
  crossings_.start(spec().trusted_libraries, events_.is_on(), race_.stamp_word());
  if (events_.is_on()) show_to_debugger(scheduler_);
}

void Execution::begin(std::uint64_t index) {
  // What the system tells the program differs from execution to execution, and is the same for the same one.
  outside_.reseed(mix(mix(spec().seed, 0x6f757473696465ull), index));
  choices_.begin(spec().seed, index, *this);
  edges_.set_observer(choices_.observer());
  note_pace();
}

void Execution::find_spare_memory(SpareMemory& spare) const {
  spare.add(memory_.spare_memory());
  if (plain_.detecting()) {
    AddressRange detectors[race::RaceDetector::kSpareRanges];
    race_.spare_memory(detectors);
    for (const AddressRange& range : detectors) spare.add(range);
  }
  scheduler_.find_spare_memory(spare);
}

void Execution::note_pace() {
  choices_.set_pace(!fairness_.is_fair() && !events_.is_on() && !fairness_.has_timed_sleeps() && !enforcing_);
}

namespace {

// What one visible operation costs in virtual time. Small against every timeout that programs use.
constexpr std::uint64_t kOperationNanoseconds = 10;

// While threads run on and on, a sleep must end, too: after so many operations its time has come.
void pass_time_of_sleepers(sched::Scheduler& scheduler) {
  std::uint64_t first = sched::kNoDeadline;
  scheduler.for_each_blocked([&](Thread& t) {
    if (t.wait == WaitKind::kPause && t.deadline < first) first = t.deadline;
  });
  if (first != sched::kNoDeadline) scheduler.advance_to(first);
}

// Threads take turns by their numbers.
ThreadId next_in_turn(const sched::Scheduler& scheduler) {
  const std::uint32_t count = scheduler.thread_count();
  for (std::uint32_t i = 1; i <= count; ++i) {
    const ThreadId id{static_cast<std::uint16_t>((index_of(scheduler.current()) + i) % count)};
    if (scheduler.thread(id).state == ThreadState::kRunnable) return id;
  }
  return scheduler.current();
}

}  // namespace

void Execution::take_turn(std::uint64_t pc) {
  choices_.draws() ? take_turn_as<true>(pc) : take_turn_as<false>(pc);
}

// kDraws: nearly all turns of a campaign, with nothing to record and a uniform strategy.
template <bool kDraws>
[[gnu::always_inline]] inline void Execution::take_turn_as(std::uint64_t pc) {
  before_call(pc);
  Thread& t = self();
  t.last_pc = pc;
  if (!kDraws && events_.is_on())
    t.pending_stack = t.pending.kind > EventKind::kVolatileWrite ? stack_of(t) : kEmptyStack;
  scheduler_.advance(kOperationNanoseconds);
  if (!kDraws && fairness_.has_timed_sleeps() && fairness_.sleepers_are_due())
    pass_time_of_sleepers(scheduler_);
  if (scheduler_.now() >= world_.timers().earliest()) [[unlikely]]
    fire_timers();
  if (fairness_.is_due(++channel_.header()->current.steps)) [[unlikely]]
    check_bounds();
  if (!kDraws && enforcing_ && rules_.name_callers()) t.rule_site = stacks_.innermost_place(t);
  const bool stays = !kDraws && enforcing_ && rules_.keeps_turn(t, pc);
  const bool has_others =
      scheduler_.runnable().size() > 1 || (!kDraws && (t.awaited_order != 0 || t.awaited_mutex != 0));
  if (has_others && !t.ignored && !stays) {
    // (Fairness may have begun at the check of the bounds.)
    if (kDraws && choices_.draws()) {
      switch_to(choices_.draw_thread(scheduler_));
    } else if (choices_.is_uniform() && !fairness_.is_fair() && !enforcing_ && choices_.continues_burst(t)) {
      choices_.log_thread(scheduler_, t.id,
                          true);  // as draw_thread does: an execution is the same when it is recorded
    } else {
      switch_to(choose_thread(true));
    }
  }
  if (signals_.any()) [[unlikely]]
    deliver_signals(*this);
  if (cancel_pending(t) && (t.cancel_asynchronous || t.cancel_before_effect)) program_.cancel();
  t.cancel_before_effect = false;
  if (t.call_moment != nullptr) [[unlikely]]
    history_.begin_call(t, choices_.count());
  if (!kDraws && enforcing_) {
    inject_atomic(*this, t.pending);
    rules_.note_turn(t, pc);
  }
  if (fairness_.is_fair()) [[unlikely]]
    observe_spin();
}

ThreadId Execution::choose_thread(bool can_continue) {
  const auto runnable = scheduler_.runnable();
  if (probe_.is_active()) return runnable[0];
  if (elements_.any()) return run_on_.is_active() ? next_in_turn(scheduler_) : choose_in_order(can_continue);
  if (runnable.size() == 1) return runnable[0];
  if (fairness_.is_fair() && (spec().element_points == 0 || run_on_.is_active()))
    return next_in_turn(scheduler_);
  if (fairness_.is_fair() && spec().replay == ReplayKind::kNone) {
    // Orders may have held back who would be next in turn, and are gone when the execution is repeated.
    const ThreadId next = next_in_turn(scheduler_);
    choices_.log_thread(scheduler_, next, can_continue);
    return next;
  }
  if (enforcing_) return choose_free_thread(can_continue);
  strategy::ChoicePoint point;
  point.kind = ChoiceKind::kThread;
  point.thread = scheduler_.current();
  point.thread_can_continue = can_continue;
  point.count = static_cast<std::uint32_t>(runnable.size());
  point.threads = runnable.data();
  point.alternatives_hash = Choices::thread_hash(scheduler_, can_continue);
  point.fallback = can_continue ? self().runnable_position : 0;
  return runnable[choices_.pick(point)];
}

bool Execution::wait(WaitKind kind, Address object, std::uint64_t deadline, ThreadId waits_for) {
  Thread& t = self();
  t.interrupted = false;
  if (t.at_cancellation_point && sched::can_be_broken_off(kind) && cancel_pending(t)) {
    t.interrupted = t.cancel_broke_wait = true;
    t.timed_out = false;
    return true;
  }
  if (choices_.expires_early(deadline)) {
    // The moment may come at any time from here on: the thread stays among those that can be chosen, and no
    // wake-up is spent on it.
    run_others();
    scheduler_.advance_to(deadline);
    t.timed_out = true;
    return false;
  }
  scheduler_.block(kind, object, deadline);
  t.waits_for = waits_for;
  // An untimed wait in a circle of untimed waits can never end, whatever the other threads do. A timer's
  // handler could still end the program, or jump.
  if (waits_for != kNoThread && deadline == sched::kNoDeadline &&
      world_.timers().earliest() == sched::kNoDeadline) {
    WaitCycle cycle;
    if (find_cycle(scheduler_, t.id, cycle)) end_in_deadlock();
  }
  run_others();
  if (signals_.any()) deliver_signals(*this);
  return !t.timed_out;
}

void Execution::run_others() {
  // A timer that rings for ever wakes nobody for ever.
  constexpr std::uint32_t kMostRings = 10'000;
  for (std::uint32_t rings = 0; scheduler_.runnable().empty(); ++rings) {
    if (run_on_.is_active()) finish(Ending::kFinding, 0);  // who waits now, waits for the thread that failed
    if (take_arrived_signals(*this) || world_.wake_ready_calls()) continue;
    if (rings < kMostRings && pass_time()) continue;
    // A process may have done what is waited for and ended between the two looks at it.
    if (rings < kMostRings && (take_arrived_signals(*this) || world_.wake_ready_calls())) continue;
    if (!probe_waiters()) end_in_deadlock();
  }
  const bool can_continue = self().state == ThreadState::kRunnable;
  switch_to(choices_.draws() ? choices_.draw_other_thread(scheduler_, can_continue)
                             : choose_thread(can_continue));
}

Event* Execution::add_event(EventKind kind, std::uint64_t pc) {
  const EventLog::Room room = events_.make_room();
  if (room == EventLog::Room::kNone) return nullptr;
  if (room == EventLog::Room::kPastEnd) finish(Ending::kCut, 0);
  const EventId id = events_.next();
  Event& e = events_.add(kind, pc, scheduler_.current());
  e.stack = stacks_.of_event(kind, pc);
  if (enforcing_) count_injected_read(e.thread, kind);
  race_.at_event(id);
  return &e;
}

void Execution::set_address(Event& event, Address address) {
  event.address = address;
  stacks_.note_variable(event, address);
}

void Execution::forget(sched::SyncObject& object) {
  edges_.forget(object.clock);
  edges_.forget(object.reader_clock);
}

void Execution::operation_called(sched::HistoryMoment* moment, std::uint32_t operation) {
  HistoryClock::call(self(), moment);
  if (strategy::Observer* o = choices_.observer()) o->operation_called(scheduler_.current(), operation);
}

void Execution::operation_returned(sched::HistoryMoment* moment) {
  history_.return_from(self(), *moment, choices_.count());
  if (strategy::Observer* o = choices_.observer()) o->operation_returned(scheduler_.current());
}

void Execution::operations_planned(std::uint32_t operation, std::uint32_t calls) {
  if (strategy::Observer* o = choices_.observer()) o->operations_planned(operation, calls);
}

void Execution::piece_begins() {
  if (strategy::Observer* o = choices_.observer()) o->piece_begins();
}

void Execution::end_in_deadlock() {
  report_deadlock(scene_);
  finish(Ending::kFinding, 0);
}

}  // namespace heddle::engine
