// Who can run, who is blocked on what, and what time it is. Switches fibers; chooses nothing: every decision
// is made by the engine's strategy and handed in.
//
// Invariants: the running thread is runnable; a thread is in runnable() exactly if its state is kRunnable;
// the virtual clock never goes back. Thread 0 is the program's main thread and exists from the start.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/base/spare_memory.h"
#include "runtime/sched/thread.h"

namespace heddle::sched {

class Scheduler {
 public:
  // Adopts the calling kernel thread as thread 0.
  void start();

  ThreadId current() const { return current_; }
  Thread& self() { return *self_; }
  Thread& thread(ThreadId id) { return threads_[index_of(id)]; }
  const Thread& thread(ThreadId id) const { return threads_[index_of(id)]; }
  std::uint32_t thread_count() const { return created_; }  // ids handed out so far
  std::uint32_t unfinished_count() const { return unfinished_; }
  // Every thread that was ever created has been joined: nothing that the current one does can come at the
  // same time as anything else.
  bool is_alone() const { return retired_ + 1 == created_; }

  std::span<const ThreadId> runnable() const { return {runnable_, runnable_count_}; }
  std::uint32_t runnable_hash() const { return runnable_hash_; }

  // A new runnable thread, or nullptr when no slot or memory is left. Its first instruction is
  // entry(&thread).
  Thread* create(const StackRequest& stack, void (*entry)(void*));
  // Makes the ghosts for executions of up to `threads` threads beforehand. True: some were missing.
  bool prepare_ghosts(std::uint32_t threads);

  // The calling thread stops being runnable. The caller must switch away.
  void block(WaitKind kind, Address object, std::uint64_t deadline = kNoDeadline);
  void make_runnable(Thread& thread);
  void finish_current();
  // The thread's handle and slot may be reused.
  void retire(Thread& thread) {
    thread.joined = true;
    ++retired_;
  }

  // The wait_ticket of the next thread to block.
  std::uint32_t next_ticket() const { return next_ticket_; }
  // Makes every thread that waits for `object` in this way runnable; answers how many.
  std::uint32_t wake_all(WaitKind kind, Address object);
  std::uint32_t waiters(WaitKind kind, Address object) const;
  // Visits blocked threads in the order of their waiting.
  template <typename Visit>
  void for_each_blocked(Visit visit) {
    for (std::uint32_t i = 0; i < created_; ++i) {
      if (threads_[i].state == ThreadState::kBlocked) visit(threads_[i]);
    }
  }

  void switch_to(ThreadId id) {
    if (id == current_) return;
    Thread& from = self();
    Thread& to = thread(id);
    HEDDLE_CHECK(to.state == ThreadState::kRunnable);
    current_ = id;
    self_ = &to;
    switch_fiber(from.fiber, to.fiber);
  }

  // Virtual time in nanoseconds since the execution began.
  std::uint64_t now() const { return now_; }
  void advance(std::uint64_t nanoseconds) { advance_to(now_ + nanoseconds); }
  // Timed waits whose deadline has come by end with timed_out set.
  void advance_to(std::uint64_t time) {
    if (time > now_) now_ = time;
    if (now_ >= earliest_deadline_) expire_deadlines();
  }
  // The first deadline of a blocked thread; kNoDeadline if there is none.
  std::uint64_t next_deadline() const;

  // For a debugger, which reads them while the process stands still.
  const Thread* all_threads() const { return threads_; }
  const ThreadId* current_place() const { return &current_; }
  const std::uint32_t* count_place() const { return &created_; }

  // The thread that owns a pthread_t, or nullptr.
  Thread* find(std::uint64_t handle);
  // The thread that has ended and whose stack or thread-local storage this was; nullptr: there is none.
  const Thread* ended_owner(Address address) const;
  std::uint64_t handle_of(const Thread& thread) const { return thread.fiber.fs_base; }

  void find_spare_memory(SpareMemory& spare) const;

 private:
  std::uint32_t free_slot() const;
  void remove_runnable(Thread& thread);
  void expire_deadlines();

  ThreadId current_ = kMainThread;
  Thread* self_ = nullptr;  // the current one's
  std::uint32_t created_ = 0;
  std::uint32_t unfinished_ = 0;
  std::uint32_t retired_ = 0;
  std::uint32_t runnable_count_ = 0;
  std::uint32_t runnable_hash_ = 0;
  std::uint32_t next_ticket_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t earliest_deadline_ = kNoDeadline;
  ThreadId runnable_[kMaxThreads] = {};
  Thread* threads_ = nullptr;  // kMaxThreads, zero until used: what nobody has touched costs a fork nothing
};

}  // namespace heddle::sched
