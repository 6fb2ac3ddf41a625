// Atomic operations of the program under the engine, one template for all sizes. One kernel thread runs
// everything, so the accesses to real memory below are plain.
#pragma once

#include "runtime/engine/execution.h"

namespace heddle::engine {

template <typename T>
T plain_read(const volatile void* address) {
  return *static_cast<const volatile T*>(address);
}

template <typename T>
void plain_write(volatile void* address, T value) {
  *static_cast<volatile T*>(address) = value;
}

template <typename T>
std::uint64_t low_word(T value) {
  return static_cast<std::uint64_t>(value);
}

struct AtomicSite {
  Address address;
  MemoryOrder order;
  std::uint64_t pc;
};

template <typename T>
void note_atomic(Execution& e, EventKind kind, const AtomicSite& site, T read, T written) {
  e.done(kind, low_word(read) + 31 * low_word(written));
  if (Event* event = e.record(kind, site.pc)) {
    event->address = site.address;
    event->order = site.order;
    event->size = sizeof(T);
    event->value = low_word(kind == EventKind::kAtomicStore ? written : read);
    event->value2 = low_word(written);
  }
}

template <typename T>
T atomic_load(Execution& e, const AtomicSite& site) {
  e.visible({EventKind::kAtomicLoad, site.order, sizeof(T), site.address, site.pc});
  const T value = plain_read<T>(reinterpret_cast<const void*>(site.address));
  note_atomic<T>(e, EventKind::kAtomicLoad, site, value, value);
  return value;
}

template <typename T>
void atomic_store(Execution& e, const AtomicSite& site, T value) {
  e.visible({EventKind::kAtomicStore, site.order, sizeof(T), site.address, site.pc});
  if (plain_read<T>(reinterpret_cast<const void*>(site.address)) != value) e.changed();
  plain_write<T>(reinterpret_cast<void*>(site.address), value);
  note_atomic<T>(e, EventKind::kAtomicStore, site, value, value);
}

// An update: reads the newest value and writes compute(value).
template <typename T, typename Compute>
T atomic_update(Execution& e, const AtomicSite& site, Compute compute) {
  e.visible({EventKind::kAtomicUpdate, site.order, sizeof(T), site.address, site.pc});
  const T old = plain_read<T>(reinterpret_cast<const void*>(site.address));
  const T updated = compute(old);
  if (old != updated) e.changed();
  plain_write<T>(reinterpret_cast<void*>(site.address), updated);
  note_atomic<T>(e, EventKind::kAtomicUpdate, site, old, updated);
  return old;
}

// The old value; equal to `expected` and not `failed` exactly if the exchange took place. A weak one may fail
// for no reason ([atomics.types.operations]).
template <typename T>
T atomic_compare_exchange(Execution& e, const AtomicSite& site, MemoryOrder failure_order, T expected,
                          T desired, bool weak, bool& succeeded) {
  e.visible({EventKind::kAtomicUpdate, site.order, sizeof(T), site.address, site.pc});
  const T old = plain_read<T>(reinterpret_cast<const void*>(site.address));
  const bool spurious = weak && old == expected && e.spurious_failure();
  succeeded = old == expected && !spurious;
  if (succeeded) {
    if (old != desired) e.changed();
    plain_write<T>(reinterpret_cast<void*>(site.address), desired);
    note_atomic<T>(e, EventKind::kAtomicUpdate, site, old, desired);
  } else {
    note_atomic<T>(e, EventKind::kCasFailed, {site.address, failure_order, site.pc}, old, expected);
    if (spurious && e.recording()) {
      const Channel channel = e.channel();
      channel.events()[channel.header()->event_count.load(std::memory_order_relaxed) - 1].flags |=
          event_flags::kSpurious;
    }
  }
  return old;
}

inline void atomic_fence(Execution& e, MemoryOrder order, std::uint64_t pc) {
  e.visible({EventKind::kFence, order, 0, 0, pc});
  e.done(EventKind::kFence, static_cast<std::uint64_t>(order));
  if (Event* event = e.record(EventKind::kFence, pc)) event->order = order;
}

}  // namespace heddle::engine
