// Plain accesses as events: not in campaigns, but where an execution is to be explained, and then only those
// to memory that several threads touch (core/trace/granules.h).
#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/injection.h"

namespace heddle::engine {
void Execution::note_plain_access(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc) {
  if (enforcing_) rules_.lock_plain_access(self(), pc);
  const PlainEvents wanted = spec().plain_events;
  if (wanted == PlainEvents::kNone || (orders().profiles() && scheduler_.is_alone())) return;
  const bool writes = op == race::AccessOp::kWrite;
  events_.take_value();
  Granules granules = channel_.granules();
  std::uint64_t locks[sched::LockGraph::kMaxHeld];
  const std::uint32_t held = orders().profiles() ? elements_.name_held_locks(writes, locks) : 0;
  for (Address at = address; at < address + bytes;) {
    const Address next = (at / Granule::kBytes + 1) * Granule::kBytes;
    const std::uint64_t size = (next < address + bytes ? next : address + bytes) - at;
    if (wanted == PlainEvents::kFindShared) {
      if (!granules.touch(at, scheduler_.current(), writes, {locks, held}))
        channel_.header()->current.flags |= result_flags::kEventOverflow;
    } else if (granules.is_shared(at)) {
      if (enforcing_ && !writes) inject_plain(*this, at, size);
      if (Event* event = record(writes ? EventKind::kPlainWrite : EventKind::kPlainRead, pc)) {
        set_address(*event, at);
        event->size = static_cast<std::uint8_t>(size);
        event->stack = access_stack(pc);
        if (writes) {
          events_.await_value(at, static_cast<std::uint8_t>(size));
        } else {
          event->value = event->value2 = EventLog::read_safely(at, size);
        }
      }
    }
    at = next;
  }
}

// What atomic operations come to is no less shared, and no more protected, than what plain accesses do.
void Execution::touch_granules(const ElementRange& range) {
  Granules granules = channel_.granules();
  std::uint64_t locks[sched::LockGraph::kMaxHeld];
  const std::uint32_t held = elements_.name_held_locks(range.writes, locks);
  for (Address at = range.begin; at < range.begin + range.bytes; at += Granule::kBytes) {
    if (!granules.touch(at, scheduler_.current(), range.writes, {locks, held}))
      channel_.header()->current.flags |= result_flags::kEventOverflow;
  }
}

// An access of an element: is any word of it shared, and does a lock that is held protect all that are? (That
// it is held is asked anew: what code without names did to the word nobody saw before.)
void Execution::profile_access(std::uint32_t order, const ElementRange& range) {
  const Granules granules = channel_.granules();
  std::uint64_t locks[sched::LockGraph::kMaxHeld];
  std::uint32_t held = ~0u;
  const Address end = range.begin + (range.bytes != 0 ? range.bytes : 1);
  for (Address at = range.begin; at < end; at = (at / Granule::kBytes + 1) * Granule::kBytes) {
    if (!granules.is_shared(at)) continue;
    if (held == ~0u) held = elements_.name_held_locks(range.writes, locks);
    elements_.saw_shared(order, granules.is_protected(at, {locks, held}));
  }
}

}  // namespace heddle::engine
