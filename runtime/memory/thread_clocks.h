// Happens-before (C11Tester, Fig. 7) and the state of seq_cst fences, per thread.
//
// Each thread has
//   C      its happens-before clock. Races are judged by C alone.
//   F_rel  what its last release fence published; relaxed stores carry it.
//   F_acq  what its relaxed loads have read and an acquire fence would acquire.
//   sigma  the last seq_cst fence that happens before now, with G[sigma], the snapshot of G which that
//          fence took.
// and all share G, the join of the clocks of all seq_cst fences so far.
//
// The coherence clock V of the operational rule (docs/design/memory-model.md) is C joined with G[sigma]; it is
// never stored. That this equals the rule's V follows by induction: a fence sets V to C ⊔ G[sigma], and an
// acquire adds C' ⊔ G[sigma'] of the message while sigma becomes the later of the two; G only grows, so
// G[sigma] ⊔ G[sigma'] is the later one's.
//
// A thread's own time advances after each publication (release store, release fence, release of a
// synchronisation object, creation of a thread), so that an epoch names exactly what happened up to one
// publication.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/check.h"
#include "core/base/clock_view.h"
#include "core/base/ids.h"
#include "runtime/memory/models/model.h"
#include "runtime/memory/view.h"

namespace heddle::memory {

struct ThreadState {
  std::uint32_t* clock = nullptr;          // C
  View* published = nullptr;               // C and sigma as last published; null once either has changed
  View* learnt = nullptr;                  // the view acquired last; only a hint for sharing
  View* previous = nullptr;                // the view published last; only a hint for sharing
  Message release_fence;                   // F_rel
  std::uint32_t* acquire_fence = nullptr;  // F_acq, allocated at the first relaxed read of a message
  FenceNumber acquire_fence_sigma = 0;
  View* acquire_fence_view = nullptr;
  FenceNumber sigma = 0;
  View* fence_view = nullptr;      // G[sigma]
  std::uint32_t last_time = 0;     // of a finished thread, from which a new thread in this slot goes on
  std::uint32_t stores = 0;        // ordinals for ChoiceKey::store
  std::uint32_t lessons = 0;       // how often it has learnt of other threads
  ThreadId waits_for = kNoThread;  // blocked in a join on that thread
  bool acquire_fence_pending = false;
  bool running = false;  // created and not finished
};

class ThreadClocks {
 public:
  ThreadClocks(Arena& arena, ViewPool& views) : arena_(arena), views_(views) {}

  // Forgets all threads (the arena has been reset) and starts the main thread.
  void reset(const Model& model);

  void created(ThreadId parent, ThreadId child);
  void finished(ThreadId t);
  void joined(ThreadId joiner, ThreadId finished);
  void waits_for(ThreadId waiter, ThreadId awaited) { state(waiter).waits_for = awaited; }

  ThreadState& state(ThreadId t) { return threads_[index_of(t)]; }
  const ThreadState& state(ThreadId t) const { return threads_[index_of(t)]; }
  std::uint32_t width() const { return width_; }
  std::uint32_t time(ThreadId t) const { return state(t).clock[index_of(t)]; }
  ClockView clock(ThreadId t) const { return {state(t).clock, width_}; }

  // Fig. 7 [RELEASE STORE] and whatever else publishes C: the message, then the thread's time advances.
  Message publish(ThreadId t) {
    ThreadState& s = state(t);
    if (s.published == nullptr) take_snapshot(s);
    return {ViewPool::retain(s.published), s.clock[index_of(t)]++, t, 0};
  }

  // What every thread, running or not, has done so far.
  Message publish_all();

  // Does everything that the message says happen before t already?
  bool knows(ThreadId t, const Message& m) const {
    return !m || (m.has_owner() && state(t).clock[index_of(m.owner)] >= m.epoch);
  }

  // Fig. 7 [ACQUIRE LOAD]: C ⊔= message, and V and sigma with it.
  void acquire(ThreadId t, const Message& m) {
    if (!knows(t, m)) acquire_unknown(state(t), m);
  }

  // Fig. 7 [RELAXED LOAD]: F_acq ⊔= message.
  void acquire_at_next_fence(ThreadId t, const Message& m) {
    if (!knows(t, m)) add_to_acquire_fence(state(t), m);
  }

  // Fig. 7 [RELEASE RMW] and [RELAXED RMW]: what an update puts into its store, which continues the release
  // sequence ([intro.races]p5 as of P0982) of the store it read. REQUIRES: if it acquires, then it has
  // acquired `read`.
  Message update_message(ThreadId t, const Message& read, MemoryOrder order) {
    if (!is_release(order) && !read && !state(t).release_fence) return {};
    return make_update_message(t, read, order);
  }
  // A general release into an object that others may have released into before.
  void release_into(ThreadId t, Message& object);

  void acquire_fence(ThreadId t);
  void release_fence(ThreadId t);
  void seq_cst_fence(ThreadId t);
  FenceNumber fence_count() const { return fence_count_; }

  // G, for seq_cst accesses; null before the first seq_cst fence.
  const std::uint32_t* global_fence_clock() const { return fence_count_ == 0 ? nullptr : fence_clock_; }

  // The join of two messages; takes over both references.
  Message merge(Message a, Message b);

 private:
  Message make_update_message(ThreadId t, const Message& read, MemoryOrder order);
  void take_snapshot(ThreadState& s);
  void acquire_unknown(ThreadState& s, const Message& m);
  void add_to_acquire_fence(ThreadState& s, const Message& m);
  void changed(ThreadState& s) {
    views_.replace(s.published, nullptr);
    ++s.lessons;
  }
  void learn_fence(ThreadState& s, FenceNumber sigma, View* fence_view);
  void start(ThreadId t);
  void ensure_width(std::uint32_t width);
  std::uint32_t* new_clock();

  Arena& arena_;
  ViewPool& views_;
  Model model_;
  ThreadState* threads_ = nullptr;
  std::uint32_t thread_capacity_ = 0;
  std::uint32_t width_ = 0;               // slots in use
  std::uint32_t capacity_ = 0;            // entries of every dense clock
  std::uint32_t* fence_clock_ = nullptr;  // G
  View* fence_snapshot_ = nullptr;
  FenceNumber fence_count_ = 0;
  std::uint32_t* scratch_ = nullptr;
};

}  // namespace heddle::memory
