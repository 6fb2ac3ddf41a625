#include "runtime/engine/execution.h"

#include <signal.h>

#include "core/base/limit.h"
#include "core/base/raw_syscall.h"
#include "runtime/engine/debugger.h"
#include "runtime/engine/injection.h"
#include "runtime/engine/signals.h"
#include "runtime/engine/waits.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

int RuntimeScope::depth = 0;

std::uint32_t Execution::hash_alternatives(const strategy::ChoicePoint& point) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(point.kind), index_of(point.thread));
  for (std::uint32_t i = 0; i < point.count; ++i) h = mix(h, point.key(i).bits);
  return static_cast<std::uint32_t>(h);
}

namespace {

// The engine that limits of all rooms are told to.
Execution* limited = nullptr;

}  // namespace

void Execution::start(Channel channel, strategy::Strategy* strategy, const SessionHooks& hooks) {
  channel_ = channel;
  log_.start(channel);
  strategy_ = strategy;
  hooks_ = hooks;
  limited = this;
  limit_hook = [](const char* name, const char* advice) { limited->stop_at_limit(name, advice); };
  scheduler_.start();
  sync_.start();
  locks_.start();
  events_.start(channel, spec().record_events != 0);
  stacks_.start(channel, spec().symbolic != 0);
  bursts_ = spec().model != ModelKind::kSc;
  fairness_.start({spec().stagnation_steps, spec().max_steps, spec().sleep == SleepKind::kTimed});
  spurious_left_ = spec().max_spurious;
  // Orders without a single run are no orders: the elements are to be looked at (tool/cli/element_profile.h).
  elements_.start(channel_.orders(), spec().plain_events != PlainEvents::kNone &&
                                         channel_.orders() != nullptr && channel_.orders()->runs == 0);
  rules_.start({spec().rules, spec().rule_count});
  enforcing_ = rules_.any() || elements_.any();
  note_pace();
  timeouts_left_ = spec().sleep == SleepKind::kTimed ? 0 : spec().max_spurious;
  outside_.reseed(mix(spec().seed, 0x6f757473696465ull));
  memory_.reset(memory::Options::from(spec()));
  program_heap().set_limit(spec().address_space_limit);
  start_detector();
  crossings_.start(spec().trusted_libraries, events_.is_on(), race_.stamp_word());
  if (events_.is_on()) show_to_debugger(scheduler_);
}

void Execution::begin(std::uint64_t index) {
  begun_ = true;
  // What the system tells the program differs from execution to execution, and is the same for the same one.
  outside_.reseed(mix(mix(spec().seed, 0x6f757473696465ull), index));
  strategy_->begin(spec().seed, index, *this);
  uniform_ = strategy_->uniform();
  observer_ = strategy_->observer();
  edges_.set_observer(observer_);
  may_break_off_ = strategy_->may_break_off();
  note_pace();
}

void Execution::find_spare_memory(SpareMemory& spare) const {
  spare.add(memory_.spare_memory());
  if (detecting_) {
    AddressRange detectors[race::RaceDetector::kSpareRanges];
    race_.spare_memory(detectors);
    for (const AddressRange& range : detectors) spare.add(range);
  }
  scheduler_.find_spare_memory(spare);
}

void Execution::note_pace() {
  draws_ = uniform_ != nullptr && !fairness_.is_fair() && !events_.is_on() && !fairness_.has_timed_sleeps() &&
           !enforcing_;
}

void Execution::take_turn(std::uint64_t pc) { draws_ ? take_turn_as<true>(pc) : take_turn_as<false>(pc); }

// kDraws: nearly all turns of a campaign, with nothing to record and a uniform strategy.
template <bool kDraws>
[[gnu::always_inline]] inline void Execution::take_turn_as(std::uint64_t pc) {
  before_call(pc);
  Thread& t = self();
  t.last_pc = pc;
  if (!kDraws && events_.is_on())
    t.pending_stack = t.pending.kind > EventKind::kVolatileWrite ? stack_of(t) : kEmptyStack;
  scheduler_.advance(kOperationNanoseconds);
  if (!kDraws && fairness_.has_timed_sleeps()) pass_time_of_sleepers();
  if (scheduler_.now() >= world_.timers().earliest()) [[unlikely]]
    fire_timers();
  if (fairness_.is_due(++channel_.header()->current.steps)) [[unlikely]]
    check_bounds();
  const bool stays = !kDraws && enforcing_ && rules_.keeps_turn(t, pc);
  const bool has_others =
      scheduler_.runnable().size() > 1 || (!kDraws && (t.awaited_order != 0 || t.awaited_mutex != 0));
  if (has_others && !t.ignored && !stays) {
    // (Fairness may have begun at the check of the bounds.)
    if (kDraws && draws_) {
      switch_to(draw_thread());
    } else if (uniform_ != nullptr && !fairness_.is_fair() && !enforcing_ && continues_burst(t)) {
      log_thread(t.id, true);  // as draw_thread does: an execution is the same when it is recorded
    } else {
      switch_to(choose_thread(true));
    }
  }
  if (signals_.any()) [[unlikely]]
    deliver_signals(*this);
  if (cancel_pending(t) && (t.cancel_asynchronous || t.cancel_before_effect)) program_.cancel();
  t.cancel_before_effect = false;
  if (t.call_moment != nullptr) [[unlikely]]
    history_.begin_call(t, log_.count());
  if (!kDraws && enforcing_) note_turn(t, pc);
  if (fairness_.is_fair()) [[unlikely]]
    observe_spin();
}

ThreadId Execution::choose_thread(bool can_continue) {
  const auto runnable = scheduler_.runnable();
  if (probing_) return runnable[0];
  if (elements_.any()) return choose_in_order(can_continue);
  if (runnable.size() == 1) return runnable[0];
  if (fairness_.is_fair() && (spec().element_points == 0 || run_on_.is_active())) return next_in_turn();
  if (fairness_.is_fair() && spec().replay == ReplayKind::kNone) {
    // Orders may have held back who would be next in turn, and are gone when the execution is repeated.
    const ThreadId next = next_in_turn();
    log_thread(next, can_continue);
    return next;
  }
  if (enforcing_) return choose_free_thread(can_continue);
  strategy::ChoicePoint point;
  point.kind = ChoiceKind::kThread;
  point.thread = scheduler_.current();
  point.thread_can_continue = can_continue;
  point.count = static_cast<std::uint32_t>(runnable.size());
  point.threads = runnable.data();
  point.alternatives_hash = thread_alternatives_hash(can_continue);
  point.fallback = can_continue ? self().runnable_position : 0;
  return runnable[pick(point)];
}

ThreadId Execution::next_in_turn() const {
  const std::uint32_t count = scheduler_.thread_count();
  for (std::uint32_t i = 1; i <= count; ++i) {
    const ThreadId id{static_cast<std::uint16_t>((index_of(scheduler_.current()) + i) % count)};
    if (scheduler_.thread(id).state == ThreadState::kRunnable) return id;
  }
  return scheduler_.current();
}

std::uint32_t Execution::choose(ChoiceKind kind, std::uint32_t count, std::uint32_t fallback,
                                const ChoiceKey* keys) {
  if (count < 2) return 0;
  if (fairness_.is_fair()) return fallback;
  strategy::ChoicePoint point;
  point.kind = kind;
  point.thread = scheduler_.current();
  point.count = count;
  point.keys = keys;
  point.fallback = fallback;
  point.alternatives_hash = hash_alternatives(point);
  return pick(point);
}

std::uint32_t Execution::pick(strategy::ChoicePoint& point) {
  if (!begun_) hooks_.at_first_choice();
  point.step = channel_.header()->current.steps;
  const std::uint32_t picked = strategy_->choose(point);
  HEDDLE_CHECK(picked < point.count);
  if (may_break_off_ && strategy_->diverged()) finish(Ending::kDiverged, 0);
  if (may_break_off_ && strategy_->abandoned()) finish(Ending::kRedundant, 0);
  log_.add([&] { return Choice::make(point.kind, point.alternatives_hash, point.key(picked)); });
  return picked;
}

bool Execution::spurious_failure() {
  if (spurious_left_ == 0 || fairness_.is_fair()) return false;
  if (choose(ChoiceKind::kSpurious, 2, 0) == 0) return false;
  --spurious_left_;
  return true;
}

// A short timed wait may be over before another thread has done anything: a thread can be kept from running
// for that long. Long ones guard tests against hanging; they expire only when nothing else can run or when
// the program's own clock has come to that time.
bool Execution::expires_early(std::uint64_t deadline) {
  constexpr std::uint64_t kShort = 100'000'000;
  if (deadline == sched::kNoDeadline || timeouts_left_ == 0 || fairness_.is_fair()) return false;
  // What has passed already is no choice.
  if (deadline <= scheduler_.now() || deadline > scheduler_.now() + kShort ||
      choose(ChoiceKind::kTimeout, 2, 0) == 0)
    return false;
  --timeouts_left_;
  return true;
}

bool Execution::wait(WaitKind kind, Address object, std::uint64_t deadline, ThreadId waits_for) {
  Thread& t = self();
  t.interrupted = false;
  if (t.at_cancellation_point && sched::can_be_broken_off(kind) && cancel_pending(t)) {
    t.interrupted = t.cancel_broke_wait = true;
    t.timed_out = false;
    return true;
  }
  if (expires_early(deadline)) {
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
  switch_to(draws_ ? draw_other_thread(can_continue) : choose_thread(can_continue));
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

Event* Execution::record_finding() { return record(EventKind::kFinding, self().last_pc); }

void Execution::set_address(Event& event, Address address) {
  event.address = address;
  stacks_.note_variable(event, address);
}

void Execution::end_in_deadlock() {
  report_deadlock(scene_);
  finish(Ending::kFinding, 0);
}

}  // namespace heddle::engine
