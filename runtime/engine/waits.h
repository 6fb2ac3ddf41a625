// Waits that never end: who waits for whom, and what became of a signal. Reports and changes nothing else; the
// mediator ends the execution afterwards.
#pragma once

#include <cstdint>

#include "core/trace/finding.h"
#include "runtime/engine/scene.h"

namespace heddle::engine {

struct KeptWait;

inline constexpr const char* kEverybodyWaits = "every thread waits and nothing can wake any of them";

// What we know of a futex lies beside the word itself, which may also be another object to us.
inline Address futex_key(Address word) { return word + 1; }

// The object that a blocked thread waits for; nullptr: it waits for a thread, or for nothing that is known.
sched::SyncObject* waited_object(const Scene& scene, const sched::Thread& thread);

// A circle of untimed waits can never end, whatever the other threads do.
struct WaitCycle {
  static constexpr std::uint32_t kMost = kMaxFindingParts / 2;
  ThreadId threads[kMost];
  std::uint32_t length = 0;
};
// Is the thread part of one?
bool find_cycle(const sched::Scheduler& scheduler, ThreadId from, WaitCycle& cycle);

// Threads wait for each other, or for what nobody is left to give.
void report_deadlock(const Scene& scene);
// `waiter` would go on if it were woken. `news`: because of something that others did after it had looked.
// The cases are in docs/design/kinds-wake-ups.md.
void report_missed_signal(const Scene& scene, const sched::Thread& waiter, const KeptWait& kept, bool news);
// What a thread in a system call waits for, in words: a text of the channel; 0 for other waits.
std::uint32_t describe_outside_wait(const Scene& scene, const sched::Thread& thread);

}  // namespace heddle::engine
