// What kinds of events do, for all who read traces.
#pragma once

#include "core/trace/event.h"

namespace heddle {

constexpr bool reads_memory(EventKind kind) {
  return kind == EventKind::kAtomicLoad || kind == EventKind::kAtomicUpdate ||
         kind == EventKind::kCasFailed || kind == EventKind::kPlainRead || kind == EventKind::kVolatileRead;
}

// Stores that have a place in a modification order.
constexpr bool stores_atomically(EventKind kind) {
  return kind == EventKind::kAtomicStore || kind == EventKind::kAtomicUpdate ||
         kind == EventKind::kVolatileWrite;
}

constexpr bool writes_memory(EventKind kind) {
  return stores_atomically(kind) || kind == EventKind::kPlainWrite;
}

constexpr bool accesses_memory(EventKind kind) { return reads_memory(kind) || writes_memory(kind); }

// Operations on an object of synchronisation that several threads use.
constexpr bool synchronises(EventKind kind) {
  return kind >= EventKind::kMutexLock && kind <= EventKind::kFutexWake;
}

}  // namespace heddle
