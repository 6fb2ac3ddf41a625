#include "runtime/strategy/profile.h"

namespace heddle::strategy {

void Profile::clear() {
  if (counts_->has_any) memset(counts_, 0, sizeof *counts_);
}

void Profile::count(const Operation& operation) {
  const std::uint32_t t = index_of(operation.thread);
  // The handle of a thread is an address too, but one that depends on how executions are repeated.
  const bool is_place = operation.address != 0 && operation.kind != EventKind::kThreadJoin;
  if (!is_place || !is_shared_access(operation.kind) || t >= kProfiledThreads) return;
  for (std::uint32_t tries = 0; tries < 16; ++tries) {
    Place& place = counts_->places[(mix(operation.address, 0) + tries) % kPlaces];
    if (place.address != 0 && place.address != operation.address) continue;
    place.address = operation.address;
    counts_->has_any = true;
    ++place.counts[t];
    // Whoever takes a lock keeps others out: that is as good as a write.
    if (writes_memory(operation.kind) || !accesses_memory(operation.kind)) ++place.writes;
    return;
  }
}

void Profile::teach(Learning* learning) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (learning == nullptr || !counts_->has_any) return;
  for (std::uint32_t i = 0; i < kPlaces; ++i) {
    const Place& own = counts_->places[i];
    ProfiledPlace* shared = own.address != 0 ? learning->place(own.address) : nullptr;
    if (shared == nullptr) continue;
    shared->writes.fetch_add(own.writes, kRelaxed);
    for (std::uint32_t t = 0; t < kProfiledThreads; ++t) {
      if (own.counts[t] != 0) shared->counts[t].fetch_add(own.counts[t], kRelaxed);
    }
  }
  clear();
}

}  // namespace heddle::strategy
