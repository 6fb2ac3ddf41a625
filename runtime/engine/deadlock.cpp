// Deadlocks: who waits for whom. A circle of untimed waits is reported as soon as it closes; when nothing can
// run any more, everything that waits is part of the report.
#include "core/base/text_buffer.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/wake_probe.h"

namespace heddle::engine {

using sched::SyncObject;
using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

bool Execution::find_cycle(ThreadId from, ThreadId* cycle, std::uint32_t& length) const {
  constexpr std::uint32_t kMost = kMaxFindingParts / 2;
  length = 0;
  ThreadId at = from;
  do {
    const Thread& t = scheduler_.thread(at);
    if (t.state != ThreadState::kBlocked || t.deadline != sched::kNoDeadline || t.waits_for == kNoThread)
      return false;
    if (length == kMost)
      return false;  // a circle that does not lead back to `from`: reported by its own members
    cycle[length++] = at;
    at = t.waits_for;
  } while (at != from);
  return true;
}

// The thread's wait, and where those that it waits for took what it wants.
void Execution::cite_wait(FindingBuilder& finding, const Thread& t) {
  finding.wait_part(PartRole::kBlockedThread, t);
  if (SyncObject* object = waited_object(t)) finding.cite_holders(*object, t.waits_for);
}

SyncObject* Execution::waited_object(const Thread& t) {
  if (t.state != ThreadState::kBlocked || t.wait == WaitKind::kJoin) return nullptr;
  return sync_.find(t.wait == WaitKind::kFutex ? futex_key(t.wait_object) : t.wait_object);
}

// More threads meet at a barrier than it was made for: the last ones begin a round that nobody completes.
bool Execution::report_crowded_barrier() {
  const Thread* last = nullptr;
  const SyncObject* barrier = nullptr;
  scheduler_.for_each_blocked([&](Thread& t) {
    if (t.wait != WaitKind::kBarrier) return;
    const SyncObject* object = waited_object(t);
    if (object == nullptr ||
        static_cast<std::uint32_t>(__builtin_popcountll(object->users)) <= object->threshold)
      return;
    last = &t;
    barrier = object;
  });
  if (last == nullptr) return false;
  TextBuffer<160> text;
  text.decimal(__builtin_popcountll(barrier->users)) << " threads use a barrier that was made for ";
  text.decimal(barrier->threshold) << ", and one of them waits in a round that nobody will complete";
  FindingBuilder finding(*this, FindingKind::kBarrierMisuse, text.c_str());
  finding.wait_part(PartRole::kHere, *last);
  finding.cite_origin(*barrier);
  finding.cite_other_threads();
  finding.cite_creations();
  return true;
}

// What a thread in a system call waits for, in words; 0 for other waits.
std::uint32_t Execution::describe_outside_wait(const Thread& t) const {
  TextBuffer<160> text;
  if (t.wait == WaitKind::kPause) {
    text << "a signal that nobody is left to send";
  } else if (t.wait == WaitKind::kOutside) {
    const sched::BlockingCall& call = *t.blocking_call;
    text << call.name;
    if (call.descriptor >= 0) {
      text << " on descriptor ";
      text.decimal(call.descriptor) << ", whose other end only this program holds";
    } else if (call.polled_count != 0) {
      text << " on descriptor";
      for (std::uint32_t i = 0; i < call.polled_count && i < 8; ++i) {
        text << (i == 0 ? " " : ", ");
        text.decimal(call.polled[i].fd);
      }
    }
  } else {
    return 0;
  }
  return channel_.add_text(text.c_str(), text.size());
}

void Execution::report_deadlock() {
  ThreadId cycle[kMaxFindingParts / 2];
  std::uint32_t length = 0;
  bool circle = false;
  for (std::uint32_t i = 0; i < scheduler_.thread_count() && !circle; ++i) {
    circle = find_cycle(ThreadId{static_cast<std::uint16_t>(i)}, cycle, length);
  }
  // Without a circle somebody waits for what nobody is left to give.
  if (!circle && report_crowded_barrier()) finish(Ending::kFinding, 0);
  if (!circle) report_held_up();
  {
    TextBuffer<256> text;
    if (circle && length == 1) {
      const WaitKind wait = scheduler_.thread(cycle[0]).wait;
      text << (wait == WaitKind::kWriteLock  ? "a thread waits to write an rwlock that it holds for reading"
               : wait == WaitKind::kReadLock ? "a thread that reads an rwlock waits to read it once more, "
                                               "behind a writer that waits for it"
                                             : "a thread waits for a lock that it holds itself");
    } else if (circle) {
      text << "a circle of ";
      text.decimal(length) << " threads wait for each other";
    } else {
      text << kEverybodyWaits;
    }
    FindingBuilder finding(*this, FindingKind::kDeadlock, text.c_str());
    if (circle) {
      for (std::uint32_t i = 0; i < length; ++i) cite_wait(finding, scheduler_.thread(cycle[i]));
    } else {
      scheduler_.for_each_blocked([&](Thread& t) { cite_wait(finding, t); });
    }
    finding.cite_other_threads();
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

}  // namespace heddle::engine
