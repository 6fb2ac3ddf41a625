// Threads that one waiter keeps from going on, because it holds a lock while it waits.
#pragma once

#include "core/trace/finding.h"
#include "runtime/engine/scene.h"

namespace heddle::engine {

struct HeldUp {
  static constexpr std::uint32_t kMost = kMaxFindingParts / 4;

  const sched::Thread* waiter = nullptr;
  ThreadId threads[kMost];
  std::uint32_t by[kMost];  // whom each waits for: 1 + an index; 0: the waiter itself
  std::uint32_t count = 0;
  std::uint32_t giver = 0;      // the one that would give what the waiter waits for, as far as is known
  bool is_giver_known = false;  // it has given it before, or nobody else is left

  bool has(ThreadId id) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (threads[i] == id) return true;
    }
    return false;
  }
  void add(ThreadId id, std::uint32_t whom) {
    if (count == kMost || has(id)) return;
    by[count] = whom;
    threads[count++] = id;
  }
};

// Reports a thread that waits for what another one has to give, and holds a lock that keeps that one from it.
// False: there is none.
bool report_held_up(const Scene& scene);

}  // namespace heddle::engine
