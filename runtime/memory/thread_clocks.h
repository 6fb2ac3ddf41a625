// Happens-before (C11Tester, Fig. 7) and the state of seq_cst fences, per thread.
//
// Each thread has
//   C      its happens-before clock. Races are judged by C alone.
//   F_rel  what its last release fence published; relaxed stores carry it.
//   F_acq  what its relaxed loads have read and an acquire fence would acquire.
//   sigma  the S-latest seq_cst fence that happens before now, with G[sigma], the join of the clocks of all fences
//          up to that one in S.
//   lambda the S-latest seq_cst operation that strongly happens before its next operation ([intro.races]p12), which
//          has to come after it in S.
//   delta  the S-latest one that it comes after in sb ∪ rf: it may come before that in S, if that is later.
// and all share G, the join of the clocks of all seq_cst fences so far.
//
// The coherence clock V of the operational rule (docs/design/memory-model.md) is C joined with G[sigma]; it is
// never stored. That this equals the rule's V follows by induction: a fence sets V to C ⊔ G[sigma], and an
// acquire adds C' ⊔ G[sigma'] of the message while sigma becomes the later of the two; G only grows, so
// G[sigma] ⊔ G[sigma'] is the later one's. (A fence that enters S before others joins its C into their G.)
//
// A thread's own time advances after each publication (release store, release fence, release of a
// synchronisation object, creation of a thread), so that an epoch names exactly what happened up to one
// publication; and when sigma rises, so that a time tells which fences happen before.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/base/check.h"
#include "core/base/clock_view.h"
#include "core/base/ids.h"
#include "runtime/memory/models/model.h"
#include "runtime/memory/total_order.h"
#include "runtime/memory/view.h"

namespace heddle::memory {

// What a mutex, barrier, … carries from those who release it to those who acquire it. All zero is valid and
// says nothing. Must be forgotten (zeroed) when the model is reset.
struct SyncClock {
  Message message;
  SeqTime lambda = 0;
  SeqTime delta = 0;
};

// The thread's own times from which on later fences happened before.
struct Rises {
  static constexpr std::uint32_t kKept = 64;
  struct Rise {
    std::uint32_t time;
    SeqTime sigma;
  };
  std::uint32_t count = 0;
  Rise latest[kKept];
};

// A location and a store, as long as both are there.
struct ReadBack {
  Address address = 0;
  std::uint32_t location = 0;  // its number
  std::uint32_t step = 0;      // the store's
  std::uint8_t size = 0;
};

// What few threads have.
struct SeldomState {
  static constexpr std::uint32_t kReadBacks = 8;

  Rises rises;
  ReadBack read_backs[kReadBacks];
};

struct ThreadState {
  std::uint32_t* clock = nullptr;          // C
  View* published = nullptr;               // C and sigma as last published; null once either has changed
  View* learnt = nullptr;                  // the view acquired last; only a hint for sharing
  View* previous = nullptr;                // the view published last; only a hint for sharing
  Message release_fence;                   // F_rel
  std::uint32_t* acquire_fence = nullptr;  // F_acq, allocated at the first relaxed read of a message
  View* acquire_fence_view = nullptr;
  View* fence_view = nullptr;     // G[sigma]
  SeldomState* seldom = nullptr;  // allocated when there is something to say
  SeqTime lambda = 0;             // of what comes next
  SeqTime delta = 0;              // never before lambda
  SeqTime sigma = 0;
  std::uint32_t risen = 0;  // the own time since which it is sigma
  SeqTime acquire_fence_sigma = 0;
  SeqTime acquire_fence_lambda = 0;
  SeqTime release_fence_lambda = 0;
  // Stores of its own that seq_cst loads have read back since its last seq_cst write or fence (LWG 3941).
  std::uint32_t read_back_count = 0;
  std::uint32_t last_time = 0;     // of a finished thread, from which a new thread in this slot goes on
  std::uint32_t stores = 0;        // ordinals for ChoiceKey::store
  std::uint32_t lessons = 0;       // how often it has learnt of other threads
  ThreadId waits_for = kNoThread;  // blocked in a join on that thread
  bool acquire_fence_pending = false;
  bool running = false;  // created and not finished
};
static_assert(sizeof(ThreadState) == 128);  // a thread's place is a shift

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

  // --- the labels of S.
  // t reads a store with this delta, or acquires from who has it.
  [[gnu::always_inline]] static void see(ThreadState& s, SeqTime delta) {
    if (delta > s.delta) s.delta = delta;
  }
  // Its seq_cst operation came to the end of S.
  [[gnu::always_inline]] static void entered(ThreadState& s, SeqTime time) { s.lambda = s.delta = time; }
  // Its seq_cst operation came to S, before others.
  static void entered_early(ThreadState& s, SeqTime time) {
    s.lambda = s.lambda > time ? s.lambda : time;
    see(s, time);
  }
  // The own time from which on fences later than `time` happen before the thread's operations, or 0; kNever.
  static constexpr std::uint32_t kNever = 0xffffffff;
  std::uint32_t risen_above(std::uint32_t thread, SeqTime time) const;
  // The S-latest fence that may happen before what a thread did up to its own time `time`.
  SeqTime sigma_at(ThreadId t, std::uint32_t time) const;
  void advance(ThreadId t) { ++state(t).clock[index_of(t)]; }
  // False: there is no room.
  bool add_read_back(ThreadId t, const ReadBack& read);

  // Does everything that the message says happen before t already?
  bool knows(ThreadId t, const Message& m) const {
    return !m || (m.has_owner() && state(t).clock[index_of(m.owner)] >= m.epoch);
  }

  // Fig. 7 [ACQUIRE LOAD]: C ⊔= message, and V and sigma with it.
  void acquire(ThreadId t, const Message& m, SeqTime lambda) {
    if (!knows(t, m)) acquire_unknown(state(t), m, lambda);
  }

  // Fig. 7 [RELAXED LOAD]: F_acq ⊔= message.
  void acquire_at_next_fence(ThreadId t, const Message& m, SeqTime lambda) {
    if (!knows(t, m)) add_to_acquire_fence(state(t), m, lambda);
  }

  // Fig. 7 [RELEASE RMW] and [RELAXED RMW]: what an update puts into its store, which continues the release
  // sequence ([intro.races]p5 as of P0982) of the store it read. REQUIRES: if it acquires, then it has
  // acquired `read`.
  Message update_message(ThreadId t, const Message& read, MemoryOrder order) {
    if (!is_release(order) && !read && !state(t).release_fence) return {};
    return make_update_message(t, read, order);
  }
  // The S-latest operation that strongly happens before who acquires that message. An update that acquires knows of
  // what it read.
  SeqTime update_lambda(ThreadId t, SeqTime read, MemoryOrder order) const {
    const SeqTime own = is_release(order) ? state(t).lambda : state(t).release_fence_lambda;
    return own > read ? own : read;
  }
  // A general release into an object that others may have released into before. The labels of S go with it:
  // whatever is before it is before what follows who acquires it (sb ; hb ; sb).
  void release_into(ThreadId t, SyncClock& object);
  void acquire_from(ThreadId t, const SyncClock& object);

  void acquire_fence(ThreadId t);
  void release_fence(ThreadId t);
  // To be called first, then one of the others: at the end of S, or where insert_fence() may be called.
  void begin_seq_cst_fence(ThreadId t) { acquire_fence(t); }
  void append_seq_cst_fence(ThreadId t, TotalOrder& order);
  void insert_seq_cst_fence(ThreadId t, TotalOrder& order, SeqTime time);

  // G, for seq_cst accesses; null before the first seq_cst fence.
  const std::uint32_t* global_fence_clock() const { return has_fences_ ? fence_clock_ : nullptr; }

  // The join of two messages; takes over both references.
  Message merge(Message a, Message b);

 private:
  Message make_update_message(ThreadId t, const Message& read, MemoryOrder order);
  void take_snapshot(ThreadState& s);
  void acquire_unknown(ThreadState& s, const Message& m, SeqTime lambda);
  void add_to_acquire_fence(ThreadState& s, const Message& m, SeqTime lambda);
  void changed(ThreadState& s) {
    views_.replace(s.published, nullptr);
    ++s.lessons;
  }
  SeldomState& seldom(ThreadState& s);
  void learn_fence(ThreadState& s, SeqTime sigma, View* fence_view);
  void finish_seq_cst_fence(ThreadId t, SeqTime time, View* g);
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
  bool has_fences_ = false;
  std::uint32_t* scratch_ = nullptr;
};

}  // namespace heddle::memory
