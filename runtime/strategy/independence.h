// Which operations of two threads commute: performed in either order they lead to the same state, and what
// may be read afterwards is the same. What exhaustive search may leave out rests on this; whatever is not
// known to commute does not.
#pragma once

#include "runtime/strategy/events.h"

namespace heddle::strategy {

// Commutes with everything that other threads can do. A join that comes before the end of its thread waits,
// and goes on as if it had come after it. (The creation of threads commutes up to the numbers that they get.)
constexpr bool is_local(EventKind kind) {
  switch (kind) {
    case EventKind::kThreadStart:
    case EventKind::kThreadCreate:
    case EventKind::kThreadJoin:
    case EventKind::kThreadEnd:
      return true;
    default:
      return false;
  }
}

constexpr bool is_lock(EventKind kind) {
  switch (kind) {
    case EventKind::kMutexLock:
    case EventKind::kMutexTryLockFailed:
    case EventKind::kMutexUnlock:
    case EventKind::kRwlockReadLock:
    case EventKind::kRwlockWriteLock:
    case EventKind::kRwlockUnlock:
    case EventKind::kSemaphoreWait:
    case EventKind::kSemaphorePost:
      return true;
    default:
      return false;
  }
}

// Accesses of atomics commute unless they overlap and one of them writes: which of two loads comes first
// changes nothing, since what they read is consistent or not whatever the order (the model answers exactly
// what the axioms allow). Seq_cst operations are in one total order, and so do not commute with each other.
// Fences of other orders concern their own thread. Overlapping accesses of different sizes share a line of
// the model.
//
// Plain accesses that are visible operations (core/trace/visible_places.h) commute unless they overlap and one
// of them writes. Of those whose size does not fit the operation nothing is known.
//
// Between two operations a thread runs plain code. Where that conflicts with another thread's it is a race,
// and found as one in either order.
constexpr bool commute(const NextOperation& a, const NextOperation& b) {
  if (is_local(a.kind) || is_local(b.kind)) return true;
  if (is_plain_access(a.kind) || is_plain_access(b.kind)) {
    if (!accesses_memory(a.kind) || !accesses_memory(b.kind)) return is_lock(a.kind) || is_lock(b.kind);
    if (a.size == kUnknownSize || b.size == kUnknownSize) return false;
    return !overlap(with_size(a), with_size(b)) || (!writes_memory(a.kind) && !writes_memory(b.kind));
  }
  const bool memory_a = is_memory_access(a.kind);
  const bool memory_b = is_memory_access(b.kind);
  const bool fence_a = a.kind == EventKind::kFence;
  const bool fence_b = b.kind == EventKind::kFence;
  if ((memory_a || fence_a) && (memory_b || fence_b)) {
    if (is_seq_cst(a.order) && is_seq_cst(b.order)) return false;
    if (fence_a || fence_b) return true;
    if (a.address / 16 != b.address / 16 && !overlap(a, b)) return true;
    if (a.size != b.size) return false;
    return a.address != b.address ? !overlap(a, b) : !is_memory_write(a.kind) && !is_memory_write(b.kind);
  }
  if ((is_lock(a.kind) || memory_a || fence_a) && (is_lock(b.kind) || memory_b || fence_b))
    return a.address != b.address;
  return false;
}

}  // namespace heddle::strategy
