// Threads that wait for a signal, a post or a wake-up for ever: what became of it, and who cannot give it.
// The cases are in docs/design/kinds-wake-ups.md.
#include "core/base/text_buffer.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/held_up.h"
#include "runtime/engine/waits.h"
#include "runtime/engine/wake_probe.h"

namespace heddle::engine {

using sched::SyncObject;
using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

namespace {

// Where the signal went.
enum class Signal : std::uint8_t { kMissing, kEarly, kElsewhere };

const char* missed_text(Signal signal, bool futex, bool waits_again) {
  switch (signal) {
    case Signal::kEarly:
      return futex
                 ? "a thread waits to be woken; the wake-up came before it waited, and no thread is left to "
                   "wake it"
                 : "a thread waits on a condition variable; the signal came before it waited, and no thread "
                   "is left to signal it again";
    case Signal::kElsewhere:
      if (futex)
        return waits_again
                   ? "a thread that could go on was not woken: the wake-up went to another one, which "
                     "waits again"
                   : "a thread that could go on was not woken: the wake-up went to another one";
      return waits_again
                 ? "a thread that could go on was not woken: the signal of its condition variable went "
                   "to another one, which waits again"
                 : "a thread that could go on was not woken: the signal of its condition variable went "
                   "to another one";
    case Signal::kMissing:
      break;
  }
  return futex ? "a thread waits for a value to change; it has changed, but nobody woke the thread"
               : "a thread that could go on was not woken: what it waits for has changed, and nobody has "
                 "signalled its condition variable since";
}

// What somebody else has to give, in words; nullptr: nobody in particular.
const char* awaited_gift(WaitKind kind) {
  switch (kind) {
    case WaitKind::kCondition:
      return "a signal";
    case WaitKind::kFutex:
      return "a wake-up";
    case WaitKind::kSemaphore:
      return "a post";
    case WaitKind::kBarrier:
      return "others at a barrier";
    default:
      return nullptr;
  }
}

}  // namespace

void report_missed_signal(const Scene& scene, const Thread& waiter, const KeptWait& kept, bool news) {
  const SyncObject* object = waited_object(scene, waiter);
  const bool futex = waiter.wait == WaitKind::kFutex;
  const bool early = object != nullptr && object->early_at.pc != 0 && object->early_at.thread != waiter.id;
  const bool elsewhere = object != nullptr && object->heard_by != kNoThread &&
                         object->heard_by != waiter.id && waiter.wait_ticket < object->heard_ticket;
  const bool changed =
      futex && *reinterpret_cast<const volatile std::uint32_t*>(waiter.wait_object) != waiter.wait_expected;
  // Without news it looks at nothing: the signal is all that it waits for. Else the signal came between the
  // look and the wait, or the look could not see it.
  const bool unheard = early && (!news || (!elsewhere && !kept.knew_signal));
  Signal signal = Signal::kMissing;
  if (unheard) {
    signal = Signal::kEarly;
  } else if (elsewhere) {
    signal = Signal::kElsewhere;
  } else if (!news && !changed) {
    return report_deadlock(scene);  // it looks at nothing, and nobody has ever signalled
  }
  const bool lost = signal == Signal::kEarly || (futex && signal == Signal::kMissing);
  bool waits_again = false;
  if (signal == Signal::kElsewhere) {
    const Thread& woken = scene.scheduler.thread(object->heard_by);
    waits_again = woken.state == ThreadState::kBlocked && woken.wait == waiter.wait &&
                  woken.wait_object == waiter.wait_object;
  }
  {
    FindingBuilder finding(scene, lost ? FindingKind::kLostWakeUp : FindingKind::kDeadlock,
                           missed_text(signal, futex, waits_again));
    finding.wait_part(lost ? PartRole::kHere : PartRole::kBlockedThread, waiter);
    if (signal != Signal::kMissing) {
      const sched::CodePlace& place = signal == Signal::kEarly ? object->early_at : object->heard_at;
      FindingPart& part =
          finding.object_part(PartRole::kNotified, scene.scheduler.thread(place.thread), place.pc, *object);
      part.stack = place.stack;
      part.address = waiter.wait_object;
      if (signal == Signal::kElsewhere) part.other = object->heard_by;
    }
    finding.cite_other_threads();
    finding.cite_creations();
  }
}

namespace {

bool holds(const Scene& scene, const Thread& t, const SyncObject* lock) {
  if (lock == nullptr) return false;
  for (const sched::HeldLock& held : scene.locks.held(t.id)) {
    if (held.lock == lock && held.serial == lock->serial) return true;
  }
  return false;
}

// Whom the waiter keeps from going on: those that want a lock of its, and whoever waits for these.
HeldUp held_up_by(const Scene& scene, const Thread& waiter) {
  HeldUp found;
  found.waiter = &waiter;
  std::uint32_t others = 0;
  std::uint32_t joiners = 0;
  scene.scheduler.for_each_blocked([&](Thread& t) {
    if (t.id == waiter.id) return;
    ++others;
    if (t.waits_for == waiter.id && t.wait == WaitKind::kJoin) {
      ++joiners;
    } else if (holds(scene, waiter, waited_object(scene, t))) {
      found.add(t.id, 0);
    }
  });
  for (std::uint32_t i = 0; i < found.count; ++i) {
    const Thread& owner = scene.scheduler.thread(found.threads[i]);
    scene.scheduler.for_each_blocked([&](Thread& t) {
      if (t.id == waiter.id || (t.wait == WaitKind::kJoin && t.waits_for == waiter.id)) return;
      if (t.waits_for == owner.id || holds(scene, owner, waited_object(scene, t))) found.add(t.id, i + 1);
    });
  }
  found.is_giver_known = found.count + joiners == others;
  const SyncObject* object = waited_object(scene, waiter);
  for (std::uint32_t i = 0; i < found.count && object != nullptr; ++i) {
    const ThreadId id = found.threads[i];
    if ((object->early_at.pc == 0 || object->early_at.thread != id) &&
        (object->heard_at.pc == 0 || object->heard_at.thread != id))
      continue;
    found.giver = i;
    found.is_giver_known = true;
    break;
  }
  return found;
}

}  // namespace

// A thread waits for what another one has to give, and holds a lock that keeps that one from it: a circle
// with one edge that no owner tells of. Who would give it is a thread that has done so before, or any, if all
// others are kept up by this one.
bool report_held_up(const Scene& scene) {
  HeldUp best;
  scene.scheduler.for_each_blocked([&](Thread& t) {
    if (awaited_gift(t.wait) == nullptr || scene.locks.held(t.id).empty() || best.is_giver_known) return;
    const HeldUp found = held_up_by(scene, t);
    if (found.count != 0 && (best.count == 0 || found.is_giver_known)) best = found;
  });
  if (best.count == 0) return false;
  {
    TextBuffer<160> text;
    text << "a thread waits for " << awaited_gift(best.waiter->wait) << " and holds a lock that "
         << (best.is_giver_known ? "the thread which would give it" : "another thread") << " waits for";
    FindingBuilder finding(scene, FindingKind::kDeadlock, text.c_str());
    finding.wait_part(PartRole::kBlockedThread, *best.waiter).other =
        best.is_giver_known ? best.threads[best.giver] : kNoThread;
    for (std::uint32_t i = best.giver + 1; i != 0; i = best.by[i - 1])
      finding.cite_wait(scene.thread(best.threads[i - 1]));
    finding.cite_other_threads();
    finding.cite_creations();
  }
  return true;
}

}  // namespace heddle::engine
