// Plain accesses as events: not in campaigns, but where an execution is to be explained, and then only those
// to memory that several threads touch (core/trace/granules.h).
#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/injection.h"

namespace heddle::engine {

// Others may run before it, and the log has who did. What it reads or writes is what memory holds: the mildest
// of what a data race may do ([intro.races]/21 leaves it undefined).
bool Execution::announce_plain_access(race::AccessOp op, Address address, std::uint64_t bytes,
                                      std::uint64_t pc) {
  if (self().ignored || scheduler_.is_alone() || !spec().visible.has(pc, address, bytes)) return false;
  const bool writes = op == race::AccessOp::kWrite;
  const EventKind kind = writes ? EventKind::kPlainWrite : EventKind::kPlainRead;
  events_.take_value();  // before somebody else writes there
  visible({kind, MemoryOrder::kRelaxed, static_cast<std::uint8_t>(bytes < 0xff ? bytes : 0xff), address, pc});
  events_.take_value();  // of the thread that ran before
  done(kind, 0);
  if (writes) changed();
  return true;
}

void Execution::record_plain_access(bool writes, Address at, std::uint64_t bytes, std::uint64_t pc,
                                    std::uint8_t how) {
  Event* event = record(writes ? EventKind::kPlainWrite : EventKind::kPlainRead, pc);
  if (event == nullptr) return;
  event->flags |= how;  // event_flags
  set_address(*event, at);
  event->size = static_cast<std::uint8_t>(bytes < Granule::kBytes ? bytes : Granule::kBytes);
  event->stack = access_stack(pc);
  if (writes) {
    events_.await_value(at, event->size);
  } else {
    event->value = event->value2 = EventLog::read_safely(at, event->size);
  }
}

void Execution::note_plain_access(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc) {
  const bool is_visible = spec().visible.any() && announce_plain_access(op, address, bytes, pc);
  const bool writes = op == race::AccessOp::kWrite;
  if (enforcing_) rules_.begin_plain_access(self(), pc, writes);
  const PlainEvents wanted = spec().plain_events;
  std::uint8_t turn = is_visible ? event_flags::kTurn : 0;  // of the first event, where there are several
  if (is_visible && wanted == PlainEvents::kNone) record_plain_access(writes, address, bytes, pc, turn);
  if (wanted == PlainEvents::kNone || (orders().profiles() && scheduler_.is_alone())) return;
  // (The value of a visible write is awaited from here on.)
  if (!is_visible) events_.take_value();
  Granules granules = channel_.granules();
  std::uint64_t locks[sched::LockGraph::kMaxHeld];
  const std::uint32_t held = orders().profiles() ? elements_.name_held_locks(writes, locks) : 0;
  for (Address at = address; at < address + bytes;) {
    const Address next = (at / Granule::kBytes + 1) * Granule::kBytes;
    const std::uint64_t size = (next < address + bytes ? next : address + bytes) - at;
    if (wanted == PlainEvents::kFindShared) {
      if (!granules.touch(at, scheduler_.current(), writes, {locks, held}))
        channel_.header()->current.flags |= result_flags::kEventOverflow;
    } else if (is_visible || granules.is_shared(at)) {
      if (enforcing_ && !writes) inject_plain(*this, at, size);
      record_plain_access(writes, at, size, pc, turn);
      turn = 0;
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
