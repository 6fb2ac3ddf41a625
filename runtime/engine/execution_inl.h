// The hot path of Execution: what nearly every operation of a campaign comes by. Included by execution.h alone.
#pragma once

#include "core/base/pages.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"

namespace heddle::engine {

[[gnu::always_inline]] inline void Execution::visible(const sched::PendingOperation& operation) {
  self().pending = operation;
  take_turn(operation.pc);
}

inline void Execution::hash(EventKind kind, std::uint64_t value) {
  auto& h = channel_.header()->current.trace_hash;
  const std::uint64_t word =
      (std::uint64_t{index_of(scheduler_.current())} << 8 | static_cast<std::uint64_t>(kind)) +
      value * 0x9e3779b97f4a7c15ull;
  h = ((h << 7 | h >> 57) ^ word) * 0xff51afd7ed558ccdull;
}

inline void Execution::done(EventKind kind, std::uint64_t value) {
  hash(kind, value);
  if (choices_.observer() != nullptr) [[unlikely]]
    observe(kind);
}

inline void Execution::done_access(EventKind kind, MemoryOrder order, std::uint64_t value,
                                   const memory::Candidate* read) {
  hash(kind, value);
  if (choices_.observer() != nullptr) [[unlikely]]
    observe_access({kind, order, self().pending.size, self().pending.address, self().pending.pc}, read);
}

inline void Execution::switch_to(ThreadId thread) {
  if (thread == scheduler_.current()) return;
  if (crossings_.watching()) [[unlikely]]
    cross_before_switch();
  scheduler_.switch_to(thread);
  // On return, the calling thread runs again.
  if (crossings_.watching()) [[unlikely]]
    crossings_.after_switch(self());
  if (crossing.pending != 0 || !race_.resume(scheduler_.current())) [[unlikely]]
    edges_.enter_epoch();
}

inline void Execution::lock_released(sched::SyncObject& lock) {
  const ThreadId t = scheduler_.current();
  locks_.released(t, lock);
  self().unlock_time = race_.time() - 1;
  self().unlock_stores = memory_.stores_of(t);
}

inline void Execution::leave_function() {
  if (crossings_.watching()) [[unlikely]]
    return_to_caller();
  sched::Thread& t = self();
  if (t.depth > 0) --t.depth;
}

inline void Execution::before_access() {
  if (plain_.has_volatile()) settle_volatile();
  if (crossing.pending != 0) [[unlikely]]
    cross(true);
}

inline void Execution::before_call(std::uint64_t pc) {
  if (plain_.has_volatile()) settle_volatile();
  if (crossing.pending != 0) [[unlikely]]
    cross(caller_at(pc) == Caller::kInstrumented);
}

inline void Execution::check_not_freed(Address address, std::uint64_t bytes, std::uint64_t pc) {
  using namespace address_map;
  if (address - kFiberSlots >= kBigStacksEnd - kFiberSlots) return;
  if (heap::Heap::is_freed(address)) report_freed(address, bytes, pc);
  if (address - kFiberSlotsEnd >= kHeapEnd - kFiberSlotsEnd) check_thread_storage(address, bytes, pc);
}

inline void Execution::check_initialised(const memory::Place& place, std::uint64_t pc) {
  if (heap::is_junk(place.memory.low, place.size) && heap::Heap::contains(place.address))
    check_initialised_slowly(place, pc);
}

template <race::AccessOp kOp, std::uint32_t kSize>
inline void Execution::plain_access(Address address, std::uint64_t pc) {
  if constexpr (kOp == race::AccessOp::kWrite) {
    if (fairness_.is_fair()) [[unlikely]]
      note_plain_write(address, kSize);
  }
  if (!plain_.is_known<kOp, kSize>(race_, address)) plain_access_anew<kOp, kSize>(address, pc);
}

template <race::AccessOp kOp, std::uint32_t kSize>
[[gnu::noinline]] void Execution::plain_access_anew(Address address, std::uint64_t pc) {
  if (crossing.pending == 0 && plain_.is_renewed<kOp, kSize>(race_, address) &&
      !memory_.may_have_location(address, kSize))
    return;
  plain_access_slowly<kOp, kSize>(address, pc);
}

template <race::AccessOp kOp, std::uint32_t kSize>
[[gnu::noinline]] void Execution::plain_access_slowly(Address address, std::uint64_t pc) {
  before_access();
  if (!plain_.skips_known()) [[unlikely]]
    note_plain_access(kOp, address, kSize, pc);
  if (!plain_.is_known_word<kOp, kSize>(race_, address)) {
    if (events_.is_on()) [[unlikely]]
      stacks_.note_own_variable(address, pc);
    if (plain_.detecting()) {
      constexpr auto kAsAtomic =
          kOp == race::AccessOp::kWrite ? race::AccessOp::kAtomicWrite : race::AccessOp::kAtomicRead;
      const race::Race* race;
      if (rules_.is_atomic_access()) [[unlikely]]
        race = race_.on_access<kAsAtomic, kSize>(address, pc, access_stack(pc));
      else
        race = race_.on_access<kOp, kSize>(address, pc, access_stack(pc));
      if (race != nullptr) report_race(*race);
    }
    check_not_freed(address, kSize, pc);
  }
  if (memory_.may_have_location(address, kSize)) plain_over_atomics(kOp, address, kSize);
  if (rules_.is_in_plain_access()) [[unlikely]]
    rules_.end_plain_access();
}

template <race::AccessOp kOp, std::uint32_t kSize>
[[gnu::always_inline]] inline void Execution::atomic_access(Address address, std::uint64_t pc) {
  if (!plain_.detecting()) return;
  if (const race::Race* race = race_.on_access<kOp, kSize>(address, pc, access_stack(pc))) report_race(*race);
}

inline void Execution::note_release() {
  const ThreadId t = scheduler_.current();
  if (const std::uint32_t now = memory_.epoch(t).time; now != race_.time()) race_.enter_later(t, now);
}

}  // namespace heddle::engine
