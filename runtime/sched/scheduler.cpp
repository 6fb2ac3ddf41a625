#include "runtime/sched/scheduler.h"

#include <errno.h>

#include "core/base/limit.h"
#include "core/base/pages.h"
#include "core/base/random.h"

namespace heddle::sched {
namespace {

// Threads whose slots may be taken again only after this many were created: short programs keep distinct ids.
constexpr std::uint32_t kReuseAfter = 512;

std::uint32_t thread_hash(ThreadId id) {
  return static_cast<std::uint32_t>(mix(0x7468726561640000ull, index_of(id)));
}

CallFrame* call_stack_of(std::uint32_t slot) {
  constexpr std::size_t kBytes = kMaxCallDepth * sizeof(CallFrame);
  static_assert(kBytes == address_map::kCallStackBytes);
  const std::uint64_t address =
      slot == index_of(kMainThread) ? address_map::kMainCallStack : address_map::fiber_call_stack(slot);
  return static_cast<CallFrame*>(map_pages_at(address, kBytes));
}

}  // namespace

void Scheduler::start() {
  threads_ = static_cast<Thread*>(map_pages(kMaxThreads * sizeof(Thread)));
  Thread& main = threads_[0];
  main = Thread{};
  main.id = kMainThread;
  main.runnable_hash = thread_hash(kMainThread);
  main.state = ThreadState::kBlocked;
  main.frames = call_stack_of(0);
  main.fiber.fs_base = current_fs_base();
  created_ = 1;
  unfinished_ = 1;
  current_ = kMainThread;
  self_ = &main;
  make_runnable(main);
}

std::uint32_t Scheduler::free_slot() const {
  if (created_ >= kReuseAfter) {
    for (std::uint32_t i = 1; i < created_; ++i) {
      const Thread& t = threads_[i];
      if (t.state == ThreadState::kFinished && (t.joined || t.detached)) return i;
    }
  }
  return created_;
}

bool Scheduler::prepare_ghosts(std::uint32_t threads) {
  bool made = false;
  for (std::uint32_t i = created_; i < threads && i < kMaxThreads; ++i) {
    Thread& t = threads_[i];
    if (t.ghost.fs_base == 0) {
      if (!make_ghost(i, kDefaultStackBytes, t.ghost)) break;
      made = true;
    }
    if (t.frames == nullptr) t.frames = call_stack_of(i);
  }
  return made;
}

Thread* Scheduler::create(const StackRequest& stack, void (*entry)(void*)) {
  // What runs on a fiber's stack is also ours: too small a one of the program's cannot be used.
  constexpr std::size_t kSmallest = 128 * 1024;
  const bool given = stack.low != nullptr && stack.bytes >= kSmallest;
  const std::size_t stack_bytes = stack.low != nullptr ? kDefaultStackBytes : stack.bytes;
  const std::uint32_t slot = free_slot();
  if (slot >= kMaxThreads)
    limit_reached("threads at once (4,096, with those that have ended and were not joined)",
                  "Let the test use fewer, or join them before it starts more.");
  Thread& t = threads_[slot];
  Ghost ghost = t.ghost;
  CallFrame* frames = t.frames != nullptr ? t.frames : call_stack_of(slot);
  if (frames == nullptr) stop_without_ghost({GhostRefusal::kStack, ENOMEM});
  // A prepared ghost serves where its stack is large enough; a used one is made anew, with fresh TLS.
  const bool used = t.state == ThreadState::kFinished;
  if (ghost.fs_base != 0 && (used || ghost.stack_bytes < stack_bytes)) release_ghost(ghost);
  if (ghost.fs_base == 0) {
    const GhostResult made = make_ghost(slot, stack_bytes, ghost);
    // libc refuses what is too large, too; all else the program would have got.
    if (made.refusal == GhostRefusal::kStack && ghost.in_big_region) return nullptr;
    if (!made) stop_without_ghost(made);
  }
  t = Thread{};
  t.ghost = ghost;
  t.frames = frames;
  t.id = ThreadId{static_cast<std::uint16_t>(slot)};
  t.runnable_hash = thread_hash(t.id);
  t.parent = current_;
  t.child_number = self().children++;
  t.lineage = lineage_of_child(self().lineage, t.child_number + 1);
  t.signal_mask = self().signal_mask;
  if (slot == created_) ++created_;
  ++unfinished_;
  const auto low = reinterpret_cast<std::uint64_t>(stack.low);
  t.stack_low = given ? low : ghost.stack_low;
  t.stack_top = given ? low + stack.bytes : reinterpret_cast<std::uint64_t>(ghost.stack_top);
  prepare_fiber(t.fiber, reinterpret_cast<void*>(t.stack_top), ghost.fs_base, entry, &t);
  make_runnable(t);
  return &t;
}

void Scheduler::find_spare_memory(SpareMemory& spare) const {
  spare.add(AddressRange::between(runnable_ + runnable_count_, runnable_ + kMaxThreads));
  for (std::uint32_t i = 0; i < kMaxThreads && threads_[i].frames != nullptr; ++i) {
    const Thread& t = threads_[i];
    const std::uint32_t used = t.depth < kMaxCallDepth ? t.depth : kMaxCallDepth;
    spare.add(AddressRange::between(t.frames + used, t.frames + kMaxCallDepth));
  }
}

const Thread* Scheduler::ended_owner(Address address) const {
  using namespace address_map;
  const auto owns = [&](const Thread& t) {
    return t.state == ThreadState::kFinished && t.id != kMainThread &&
           address - t.ghost.stack_low < t.ghost.stack_bytes;
  };
  if (address < kFiberSlotsEnd) {
    const std::uint64_t slot = (kFiberSlotsEnd - 1 - address) / kFiberSlot;
    return slot < created_ && owns(threads_[slot]) ? &threads_[slot] : nullptr;
  }
  for (std::uint32_t i = 1; i < created_ && address >= kBigStacks; ++i) {
    if (owns(threads_[i])) return &threads_[i];
  }
  return nullptr;
}

void Scheduler::make_runnable(Thread& thread) {
  if (thread.state == ThreadState::kRunnable) return;
  thread.state = ThreadState::kRunnable;
  thread.wait = WaitKind::kNone;
  thread.deadline = kNoDeadline;
  thread.waits_for = kNoThread;
  thread.runnable_position = runnable_count_;
  runnable_[runnable_count_++] = thread.id;
  runnable_hash_ ^= thread.runnable_hash;
}

void Scheduler::remove_runnable(Thread& thread) {
  const ThreadId last = runnable_[--runnable_count_];
  runnable_[thread.runnable_position] = last;
  threads_[index_of(last)].runnable_position = thread.runnable_position;
  runnable_hash_ ^= thread.runnable_hash;
}

void Scheduler::block(WaitKind kind, Address object, std::uint64_t deadline) {
  Thread& t = self();
  HEDDLE_CHECK(t.state == ThreadState::kRunnable);
  remove_runnable(t);
  t.state = ThreadState::kBlocked;
  t.wait = kind;
  t.wait_object = object;
  t.wait_ticket = next_ticket_++;
  t.deadline = deadline;
  t.timed_out = false;
  t.spurious = false;
  if (deadline < earliest_deadline_) earliest_deadline_ = deadline;
  if (deadline <= now_) expire_deadlines();
}

void Scheduler::finish_current() {
  Thread& t = self();
  remove_runnable(t);
  t.state = ThreadState::kFinished;
  --unfinished_;
}

std::uint32_t Scheduler::wake_all(WaitKind kind, Address object) {
  std::uint32_t woken = 0;
  for (std::uint32_t i = 0; i < created_; ++i) {
    Thread& t = threads_[i];
    if (t.state == ThreadState::kBlocked && t.wait == kind && t.wait_object == object) {
      make_runnable(t);
      ++woken;
    }
  }
  return woken;
}

std::uint32_t Scheduler::waiters(WaitKind kind, Address object) const {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < created_; ++i) {
    const Thread& t = threads_[i];
    if (t.state == ThreadState::kBlocked && t.wait == kind && t.wait_object == object) ++count;
  }
  return count;
}

void Scheduler::expire_deadlines() {
  earliest_deadline_ = kNoDeadline;
  for (std::uint32_t i = 0; i < created_; ++i) {
    Thread& t = threads_[i];
    if (t.state != ThreadState::kBlocked || t.deadline == kNoDeadline) continue;
    if (t.deadline <= now_) {
      make_runnable(t);
      t.timed_out = true;
    } else if (t.deadline < earliest_deadline_) {
      earliest_deadline_ = t.deadline;
    }
  }
}

std::uint64_t Scheduler::next_deadline() const {
  // The cached bound may belong to a wait that has ended since: look again.
  std::uint64_t first = kNoDeadline;
  for (std::uint32_t i = 0; i < created_; ++i) {
    const Thread& t = threads_[i];
    if (t.state == ThreadState::kBlocked && t.deadline < first) first = t.deadline;
  }
  return first;
}

Thread* Scheduler::find(std::uint64_t handle) {
  for (std::uint32_t i = 0; i < created_; ++i) {
    Thread& t = threads_[i];
    if (t.state != ThreadState::kUnused && t.fiber.fs_base == handle) return &t;
  }
  return nullptr;
}

}  // namespace heddle::sched
