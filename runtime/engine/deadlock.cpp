// Deadlocks: who waits for whom. A circle of untimed waits is reported as soon as it closes; when nothing can
// run any more, everything that waits is part of the report.
#include "core/base/text_buffer.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/held_up.h"
#include "runtime/engine/waits.h"

namespace heddle::engine {

using sched::SyncObject;
using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

bool find_cycle(const sched::Scheduler& scheduler, ThreadId from, WaitCycle& cycle) {
  cycle.length = 0;
  ThreadId at = from;
  do {
    const Thread& t = scheduler.thread(at);
    if (t.state != ThreadState::kBlocked || t.deadline != sched::kNoDeadline || t.waits_for == kNoThread)
      return false;
    if (cycle.length == WaitCycle::kMost)
      return false;  // a circle that does not lead back to `from`: reported by its own members
    cycle.threads[cycle.length++] = at;
    at = t.waits_for;
  } while (at != from);
  return true;
}

SyncObject* waited_object(const Scene& scene, const Thread& t) {
  if (t.state != ThreadState::kBlocked || t.wait == WaitKind::kJoin) return nullptr;
  return scene.objects.find(t.wait == WaitKind::kFutex ? futex_key(t.wait_object) : t.wait_object);
}

namespace {

// More threads meet at a barrier than it was made for: the last ones begin a round that nobody completes.
bool report_crowded_barrier(const Scene& scene) {
  const Thread* last = nullptr;
  const SyncObject* barrier = nullptr;
  scene.scheduler.for_each_blocked([&](Thread& t) {
    if (t.wait != WaitKind::kBarrier) return;
    const SyncObject* object = waited_object(scene, t);
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
  FindingBuilder finding(scene, FindingKind::kBarrierMisuse, text.c_str());
  finding.wait_part(PartRole::kHere, *last);
  finding.cite_origin(*barrier);
  finding.cite_other_threads();
  finding.cite_creations();
  return true;
}

}  // namespace

std::uint32_t describe_outside_wait(const Scene& scene, const Thread& t) {
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
  return scene.channel.add_text(text.c_str(), text.size());
}

void report_deadlock(const Scene& scene) {
  WaitCycle cycle;
  bool circle = false;
  for (std::uint32_t i = 0; i < scene.scheduler.thread_count() && !circle; ++i)
    circle = find_cycle(scene.scheduler, ThreadId{static_cast<std::uint16_t>(i)}, cycle);
  // Without a circle somebody waits for what nobody is left to give.
  if (!circle && (report_crowded_barrier(scene) || report_held_up(scene))) return;
  {
    TextBuffer<256> text;
    if (circle && cycle.length == 1) {
      const WaitKind wait = scene.thread(cycle.threads[0]).wait;
      text << (wait == WaitKind::kWriteLock  ? "a thread waits to write an rwlock that it holds for reading"
               : wait == WaitKind::kReadLock ? "a thread that reads an rwlock waits to read it once more, "
                                               "behind a writer that waits for it"
                                             : "a thread waits for a lock that it holds itself");
    } else if (circle) {
      text << "a circle of ";
      text.decimal(cycle.length) << " threads wait for each other";
    } else {
      text << kEverybodyWaits;
    }
    FindingBuilder finding(scene, FindingKind::kDeadlock, text.c_str());
    if (circle) {
      for (std::uint32_t i = 0; i < cycle.length; ++i) finding.cite_wait(scene.thread(cycle.threads[i]));
    } else {
      scene.scheduler.for_each_blocked([&](Thread& t) { finding.cite_wait(t); });
    }
    finding.cite_other_threads();
    finding.cite_creations();
  }
}

}  // namespace heddle::engine
