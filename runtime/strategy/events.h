// Which operations count, and which of them depend on each other.
#pragma once

#include "core/trace/event_kinds.h"
#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

constexpr bool is_memory_read(EventKind kind) { return loads_atomically(kind); }
constexpr bool is_memory_write(EventKind kind) { return stores_atomically(kind); }
constexpr bool is_memory_access(EventKind kind) { return is_memory_read(kind) || is_memory_write(kind); }

// Operations that take something which others have given: the sinks of synchronisation through objects.
constexpr bool is_acquiring_call(EventKind kind) { return has_trait(kind, event_traits::kTakes); }
constexpr bool is_releasing_call(EventKind kind) { return has_trait(kind, event_traits::kGives); }

// The thesis' Definition 4: reads, writes and fences, not the creation or the end of threads. Its programs
// have no locks; what is done to a synchronisation object is as much an event as what an atomic lock would
// do.
constexpr bool is_shared_access(EventKind kind) {
  return accesses_memory(kind) || kind == EventKind::kFence || is_acquiring_call(kind) ||
         is_releasing_call(kind);
}

// PCTWM's Algorithm 1, isCommunicationEvent: e ∈ SC ∪ R ∪ F⊒ACQ. Taking a lock acquires (Definition 3: "an
// SC, or read or acquire event").
constexpr bool is_communication_event(EventKind kind, MemoryOrder order) {
  if (reads_memory(kind) || is_acquiring_call(kind)) return true;
  if (kind == EventKind::kFence) return is_acquire(order);
  return is_memory_write(kind) && is_seq_cst(order);
}

// Of a plain access of more bytes than an operation has room for.
inline constexpr std::uint8_t kUnknownSize = 0xff;

constexpr bool overlap(const NextOperation& a, const NextOperation& b) {
  return a.address < b.address + b.size && b.address < a.address + a.size;
}
// An element whose size is not known (size 0) is touched at its first byte.
constexpr NextOperation with_size(NextOperation operation) {
  if (operation.size == 0) operation.size = 1;
  return operation;
}

// Do these operations of two threads race: could the order in which they are performed matter to anybody?
constexpr bool conflict(const NextOperation& a, const NextOperation& b) {
  const bool memory_a = accesses_memory(a.kind);
  const bool memory_b = accesses_memory(b.kind);
  if (memory_a && memory_b)
    return (writes_memory(a.kind) || writes_memory(b.kind)) && overlap(with_size(a), with_size(b));
  return !memory_a && !memory_b && a.address != 0 && a.address == b.address;
}

}  // namespace heddle::strategy
