// Would a thread that waits for ever go on, if somebody woke it now?
//
// When every thread waits, this is what tells a lost wake-up from a deadlock. A thread that waits on a
// condition variable or a futex may be woken at any moment for no reason ([thread.condition.general],
// futex(2)), so the execution may go on like this: one waiter wakes, alone, and looks again at what it waits
// for. If it comes back to its wait and has changed nothing, no signal would have helped it. If it goes on,
// what it waits for has happened, or it waits for nothing but the signal: the signal went elsewhere, or came
// too early, or is missing (docs/design/kinds-wake-ups.md).
//
// What a woken thread does is no part of the execution: no event, no choice, no finding of it is kept, and it
// stops before its first operation that others could see outside the process. Should it never stop, the
// deadlock as such has been reported before.
#pragma once

#include "core/trace/channel.h"
#include "runtime/sched/thread.h"

namespace heddle::engine {

// A thread's wait, as it is to be reported whatever the thread does when it is woken.
struct KeptWait {
  ThreadId thread = kNoThread;
  sched::WaitKind wait = sched::WaitKind::kNone;
  Address object = 0;
  Address mutex = 0;
  std::uint32_t ticket = 0;
  std::uint32_t depth = 0;
  std::uint64_t last_pc = 0;
  std::uint64_t place = 0;  // in instrumented code
  sched::PendingOperation pending;
  StackId stack = kEmptyStack;
  bool knew_signal = false;  // what the latest early signal announced had happened before it looked
};

class WakeProbe {
 public:
  static constexpr std::uint32_t kMostWaiters = 32;
  static constexpr std::uint32_t kMostSteps = 10'000;

  KeptWait waits[kMostWaiters];  // of those that were woken, in this order
  std::uint32_t count = 0;
  std::uint32_t next_thread = 0;  // the first one that was not looked at
  std::uint32_t steps = 0;
  bool news = false;  // the woken thread has read what another one wrote after it began to wait

  // What the execution was before.
  ExecutionResult result;
  std::uint32_t events = 0;
  std::uint32_t findings = 0;
  std::uint32_t choices = 0;
  bool recording = false;
  bool enforcing = false;

  bool is_active() const { return active_; }
  // Every thread waits: keeps what the execution is now, and puts it back.
  void begin(const ChannelHeader& header, std::uint32_t choices_so_far, bool records, bool enforces);
  void end(ChannelHeader& header);
  // The thread waits again, as it did before it was woken.
  static void put_back(const KeptWait& kept, sched::Thread& thread);

  KeptWait& latest() { return waits[count - 1]; }
  void wake(const KeptWait& wait) {
    waits[count++] = wait;
    steps = change_count_ = fresh_count_ = 0;
    news = overflown_ = false;
  }
  // Before the woken thread writes: what is there now.
  void note_write(Address address, std::uint64_t bytes);
  void note_write_of(const sched::Thread& woken, Address address, std::uint64_t bytes);
  void note_news() { news = true; }
  // Memory that it allocates: nobody else knows of it.
  void note_fresh(Address begin, std::uint64_t bytes) {
    if (fresh_count_ < kMostRanges) fresh_[fresh_count_++] = {begin, bytes};
  }
  // Is there anything that it has written, and not set back? (A thread may count itself out of those that
  // wait, look, and count itself in again.)
  bool has_changed() const;

 private:
  static constexpr std::uint32_t kMostRanges = 32;
  static constexpr std::uint64_t kMostBytes = 16;
  struct Range {
    Address begin = 0;
    std::uint64_t bytes = 0;
  };
  struct Change {
    Range range;
    unsigned char before[kMostBytes] = {};
  };
  Change changes_[kMostRanges];
  Range fresh_[kMostRanges];
  std::uint32_t change_count_ = 0;
  std::uint32_t fresh_count_ = 0;
  bool overflown_ = false;
  bool active_ = false;
};

}  // namespace heddle::engine
