// Volatile accesses as atomic ones, relaxed or (--volatile acqrel) acquiring and releasing: they let others
// run, and a read may be stale (C11Tester §7.2).
//
// The detector is disturbed, so that the next access does not skip what plain_accesses.h has to settle.
#include "runtime/engine/atomics.h"

namespace heddle::engine {

namespace {

MemoryOrder order_of(const RunSpec& spec, bool write) {
  if (spec.volatile_kind != VolatileKind::kAcqRel) return MemoryOrder::kRelaxed;
  return write ? MemoryOrder::kRelease : MemoryOrder::kAcquire;
}

}  // namespace

template <typename T>
void Execution::volatile_load(Address address, std::uint64_t pc) {
  const MemoryOrder order = order_of(spec(), false);
  const AtomicSite site = {address, order, pc};
  await_turn<T>(*this, EventKind::kVolatileRead, site);
  AtomicOperation<T> operation(*this, site);
  const memory::Reading reading = memory_.begin_load(operation.thread(), operation.place(), order);
  const memory::Sequence store = choices_.choose_store(memory_, reading);
  const memory::Candidate picked = memory::MemoryModel::candidate(reading, store);
  memory_.commit_load(reading, store);
  const memory::Value newest = memory::MemoryModel::newest_value(*reading.location);
  operation.template finish<race::AccessOp::kVolatileRead>(newest);
  const T value = from_value<T>(picked.value);
  operation.note(EventKind::kVolatileRead, order, value, value, &picked, reading.count);
  if (picked.value == newest) return;
  plain_write<T>(address, value);
  plain_.begin_read({address, sizeof(T), picked.value}, newest);
  race_.disturb();
}

template <typename T>
void Execution::volatile_store(Address address, std::uint64_t pc) {
  const MemoryOrder order = order_of(spec(), true);
  const AtomicSite site = {address, order, pc};
  await_turn<T>(*this, EventKind::kVolatileWrite, site);
  AtomicOperation<T> operation(*this, site);
  operation.template finish<race::AccessOp::kVolatileWrite>(operation.place().memory);
  plain_.begin_write(operation.place(), next_event());
  if (Event* event = record(EventKind::kVolatileWrite, pc)) {
    set_address(*event, address);
    event->size = sizeof(T);
    event->order = order;
  }
  race_.disturb();
}

void Execution::settle_volatile() {
  const PlainAccesses::Written written = plain_.settle();
  if (!written.is_write) return;
  const memory::Place& place = written.place;
  const MemoryOrder order = order_of(spec(), true);
  if (written.has_changed()) changed();
  memory_.store(scheduler_.current(), place, order, written.value, written.event);
  enter_epoch();
  hash(EventKind::kVolatileWrite, written.value.low);
  if (choices_.observer() != nullptr)
    observe_access({EventKind::kVolatileWrite, order, place.size, place.address, 0}, nullptr);
  if (events_.is_on() && written.event != kNoEvent && index_of(written.event) < events_.count()) {
    Event& event = channel_.events()[index_of(written.event)];
    event.value = event.value2 = written.value.low;
    event.location = memory_.last_location();
  }
}

void Execution::volatile_read(Address address, std::uint8_t bytes, std::uint64_t pc) {
  switch (bytes) {
    case 1:
      return volatile_load<std::uint8_t>(address, pc);
    case 2:
      return volatile_load<std::uint16_t>(address, pc);
    case 4:
      return volatile_load<std::uint32_t>(address, pc);
    case 8:
      return volatile_load<std::uint64_t>(address, pc);
    default:
      return volatile_load<Uint128>(address, pc);
  }
}

void Execution::volatile_write(Address address, std::uint8_t bytes, std::uint64_t pc) {
  switch (bytes) {
    case 1:
      return volatile_store<std::uint8_t>(address, pc);
    case 2:
      return volatile_store<std::uint16_t>(address, pc);
    case 4:
      return volatile_store<std::uint32_t>(address, pc);
    case 8:
      return volatile_store<std::uint64_t>(address, pc);
    default:
      return volatile_store<Uint128>(address, pc);
  }
}

}  // namespace heddle::engine
