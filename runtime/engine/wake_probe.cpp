#include "runtime/engine/wake_probe.h"

#include "core/base/freestanding.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/waits.h"

namespace heddle::engine {

using sched::SyncObject;
using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

void WakeProbe::note_write(Address address, std::uint64_t bytes) {
  for (std::uint32_t i = 0; i < fresh_count_; ++i) {
    if (address >= fresh_[i].begin && address < fresh_[i].begin + fresh_[i].bytes) return;
  }
  for (std::uint32_t i = 0; i < change_count_; ++i) {
    if (changes_[i].range.begin == address) return;
  }
  if (change_count_ == kMostRanges) {
    overflown_ = true;
    return;
  }
  Change& change = changes_[change_count_++];
  change.range = {address, bytes < kMostBytes ? bytes : kMostBytes};
  memcpy(change.before, reinterpret_cast<const void*>(address), change.range.bytes);
}

bool WakeProbe::has_changed() const {
  if (overflown_) return true;
  for (std::uint32_t i = 0; i < change_count_; ++i) {
    const Change& change = changes_[i];
    if (memcmp(change.before, reinterpret_cast<const void*>(change.range.begin), change.range.bytes) != 0)
      return true;
  }
  return false;
}

void WakeProbe::note_write_of(const Thread& t, Address address, std::uint64_t bytes) {
  // Its own stack is no state that others wait for.
  const bool is_main = t.id == kMainThread;
  const Address low = is_main ? address_map::kMainStack : t.stack_low;
  const Address high = is_main ? address_map::kMainStackEnd : t.stack_top + 512;
  if (address < low || address >= high) note_write(address, bytes);
}

void WakeProbe::begin(const ChannelHeader& header, std::uint32_t choices_so_far, bool records,
                      bool enforces) {
  *this = WakeProbe{};
  active_ = true;
  result = header.current;
  events = header.event_count.load(std::memory_order_relaxed);
  findings = header.finding_count.load(std::memory_order_relaxed);
  choices = choices_so_far;
  recording = records;
  enforcing = enforces;
}

void WakeProbe::end(ChannelHeader& header) {
  active_ = false;
  header.current = result;
  header.event_count.store(events, std::memory_order_relaxed);
  header.finding_count.store(findings, std::memory_order_relaxed);
}

void WakeProbe::put_back(const KeptWait& kept, Thread& t) {
  t.state = ThreadState::kBlocked;
  t.wait = kept.wait;
  t.wait_object = kept.object;
  t.wait_mutex = kept.mutex;
  t.wait_ticket = kept.ticket;
  t.waits_for = kNoThread;
  t.deadline = sched::kNoDeadline;
  t.depth = kept.depth;
  t.last_pc = kept.last_pc;
  t.pending = kept.pending;
  t.pending_stack = kept.stack;
}

namespace {

// A wait that may end for no reason, by a thread that can then look again.
bool may_be_probed(const sched::SyncTable& objects, const Thread& t) {
  if (t.state != ThreadState::kBlocked) return false;
  if (t.wait == WaitKind::kFutex) return true;
  if (t.wait != WaitKind::kCondition) return false;
  const SyncObject* mutex = objects.find(t.wait_mutex);
  return mutex != nullptr && mutex->count == 0;
}

}  // namespace

bool Execution::probe_waiters() {
  if (!probe_.is_active()) {
    begin_probe();
  } else {
    const KeptWait& kept = probe_.latest();
    const Thread& t = scheduler_.thread(kept.thread);
    const bool again = t.state == ThreadState::kBlocked && t.wait == kept.wait &&
                       t.wait_object == kept.object && stacks_.innermost_place(t) == kept.place;
    if (!again || probe_.has_changed()) conclude_probe(true);
  }
  while (probe_.next_thread < scheduler_.thread_count() && probe_.count < WakeProbe::kMostWaiters) {
    Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(probe_.next_thread++)});
    if (!may_be_probed(sync_, t)) continue;
    const SyncObject* object = waited_object(scene_, t);
    const bool knew = object != nullptr && object->early_at.pc != 0 &&
                      memory_.clock(t.id).at(object->early_at.thread) >= object->early_time;
    probe_.wake({t.id, t.wait, t.wait_object, t.wait_mutex, t.wait_ticket, t.depth, t.last_pc,
                 stacks_.innermost_place(t), t.pending, t.pending_stack, knew});
    scheduler_.make_runnable(t);
    return true;
  }
  if (probe_.count != 0) conclude_probe(false);
  end_probe();
  return false;
}

void Execution::begin_probe() {
  ChannelHeader& h = *channel_.header();
  probe_.begin(h, choices_.count(), events_.is_on(), enforcing_);
  events_.turn(false);
  enforcing_ = false;
  choices_.forget_observer();
  edges_.set_observer(nullptr);
  edges_.suspend(true);
  fairness_.hold(~0ull);  // the newest stores, and nothing is chosen
  note_pace();
  // The threads are stuck, whatever comes of this: were the process to die now, that would be known.
  {
    FindingBuilder finding(scene_, FindingKind::kDeadlock, kEverybodyWaits);
    scheduler_.for_each_blocked([&](Thread& t) { finding.cite_wait(t); });
    finding.cite_creations();
  }
  h.current.choices = probe_.choices;
  h.current.ending = Ending::kFinding;
}

void Execution::end_probe() {
  probe_.end(*channel_.header());
  choices_.log().rewind(probe_.choices);
  events_.turn(probe_.recording);
  enforcing_ = probe_.enforcing;
  edges_.suspend(false);
  stacks_.note_moved();
  for (std::uint32_t i = 0; i < probe_.count; ++i)
    WakeProbe::put_back(probe_.waits[i], scheduler_.thread(probe_.waits[i].thread));
}

void Execution::conclude_probe(bool goes_on) {
  end_probe();
  const KeptWait& latest = probe_.latest();
  goes_on ? report_missed_signal(scene_, scheduler_.thread(latest.thread), latest, probe_.news)
          : report_deadlock(scene_);
  finish(Ending::kFinding, 0);
}

void Execution::probe_leaves() {
  if (probe_.is_active()) conclude_probe(true);
}

// Before the woken thread's next visible operation.
void Execution::probe_step() {
  const sched::PendingOperation& operation = self().pending;
  if (self().id != probe_.latest().thread) conclude_probe(false);  // a signal from outside came just now
  if (++probe_.steps > WakeProbe::kMostSteps) conclude_probe(true);
  switch (operation.kind) {
    case EventKind::kAtomicLoad:
    case EventKind::kVolatileRead:
      // As if it were plain: what another thread has stored meanwhile is news.
      if (plain_.detecting() &&
          race_.on_range(race::AccessOp::kRead, operation.address, operation.size, operation.pc) != nullptr)
        probe_.note_news();
      return;
    case EventKind::kAtomicStore:
    case EventKind::kAtomicUpdate:
    case EventKind::kVolatileWrite:
      return probe_.note_write_of(self(), operation.address, operation.size);
    case EventKind::kFence:
    case EventKind::kYield:
    case EventKind::kSleep:
    case EventKind::kMutexLock:
    case EventKind::kRwlockReadLock:
    case EventKind::kRwlockWriteLock:
      return;
    case EventKind::kMutexUnlock:
    case EventKind::kRwlockUnlock: {
      const SyncObject* lock = sync_.find(operation.address);
      if (probe_.has_changed() || (lock != nullptr && lock->waiters != 0)) break;
      return;
    }
    case EventKind::kCondWait:
    case EventKind::kFutexWait:
      if (operation.address == probe_.latest().object) return;
      break;
    default:
      break;
  }
  conclude_probe(true);
}

}  // namespace heddle::engine
