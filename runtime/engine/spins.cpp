// What the mediator does about fairness.h: it acts on what fairness says, and reports livelocks.
#include "core/base/pages.h"
#include "core/base/text_buffer.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::Thread;

namespace {

std::span<const Thread> all_of(const sched::Scheduler& scheduler) {
  return {scheduler.all_threads(), scheduler.thread_count()};
}

void report_livelock(const Scene& scene) {
  TextBuffer<160> text;
  const auto runnable = scene.scheduler.runnable();
  text.decimal(static_cast<std::int64_t>(runnable.size()))
      << (runnable.size() == 1 ? " thread repeats" : " threads repeat")
      << " the same operations for ever and no memory changes";
  FindingBuilder finding(scene, FindingKind::kLivelock, text.c_str());
  for (const ThreadId id : runnable) {
    const Thread& t = scene.thread(id);
    // The load that the loop turns around, rather than the pause or the yield beside it.
    const sched::PendingOperation& at = t.spin.pc != 0 ? t.spin : t.pending;
    finding.part(PartRole::kHere, t, at.pc).address = at.address;
  }
  finding.cite_other_threads();
  finding.cite_creations();
}

}  // namespace

void Execution::check_bounds() {
  if (run_on_.is_active()) finish(Ending::kFinding, 0);
  if (fairness_.suspects_spin(steps())) wait_with_spins();
  switch (fairness_.check(steps(), scheduler_.runnable().size())) {
    case Fairness::Verdict::kCut:
      finish(Ending::kCut, 0);
    case Fairness::Verdict::kSpins:
      note_flag(result_flags::kFairMode);
      break;
    default:
      break;
  }
  note_pace();
}

void Execution::stand_back(std::uint64_t pc) {
  if (scheduler_.unfinished_count() < 2) return;
  self().pending = {EventKind::kYield, MemoryOrder::kRelaxed, 0, 0, pc};
  ++channel_.header()->current.steps;
  // The thread is not to run for this time, while others can: a thousand operations of theirs.
  constexpr std::uint64_t kTurn = 10'000;
  scheduler_.block(sched::WaitKind::kPause, 0, scheduler_.now() + kTurn);
  run_others();
  done(EventKind::kYield, 0);
  record(EventKind::kYield, pc);
}

void Execution::note_plain_write(Address address, std::uint64_t bytes) {
  if (probe_.is_active()) return probe_.note_write_of(self(), address, bytes);
  fairness_.note_write(scheduler_.current(), address, bytes);
}

void Execution::observe_spin() {
  if (probe_.is_active()) return probe_step();
  if (run_on_.is_active()) return;
  Thread& t = self();
  Fairness::Verdict verdict = Fairness::Verdict::kGoOn;
  if (fairness_.wants_look(t, steps())) {
    RuntimeScope scope;  // the unwinder takes a mutex
    verdict = fairness_.look(t, private_state(t.id == kMainThread ? address_map::kMainStackEnd : t.stack_top),
                             steps());
  }
  if (verdict == Fairness::Verdict::kCut) finish(Ending::kCut, 0);
  if (verdict == Fairness::Verdict::kCaught && fairness_.is_livelock(all_of(scheduler_)) &&
      !pass_time_of_spin() && !wait_for_sharers()) {
    report_livelock(scene_);
    finish(Ending::kFinding, 0);
  }
  note_pace();
}

bool Execution::pass_time_of_spin() {
  const std::uint64_t until =
      fairness_.pass_time_of_spin(all_of(scheduler_), world_.timers().earliest(), scheduler_.now(), steps());
  if (until == sched::kNoDeadline) return false;
  scheduler_.advance_to(until);
  fire_timers();
  changed();
  return true;
}

}  // namespace heddle::engine
