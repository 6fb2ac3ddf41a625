// Volatile accesses as atomic ones, relaxed or (--volatile acqrel) acquiring and releasing: they let others
// run, and a read may be stale (C11Tester §7.2).
//
// The compiler's callback comes before the access and carries no value. So the value that a read is to see is
// put into memory first, and what memory should hold is put back before the thread's next operation; and the
// value of a write is collected there. Nobody else runs in between. plain_access does not come by here when
// it changes nothing for the race detector, which is why the detector is disturbed.
#include "runtime/engine/atomics.h"

namespace heddle::engine {

namespace {

MemoryOrder order_of(const RunSpec& spec, bool write) {
  if (spec.volatile_kind != VolatileKind::kAcqRel) return MemoryOrder::kRelaxed;
  return write ? MemoryOrder::kRelease : MemoryOrder::kAcquire;
}

template <typename T>
memory::Value in_memory(Address address) {
  return to_value<T>(plain_read<T>(address));
}

memory::Value value_at(Address address, std::uint8_t bytes) {
  switch (bytes) {
    case 1:
      return in_memory<std::uint8_t>(address);
    case 2:
      return in_memory<std::uint16_t>(address);
    case 4:
      return in_memory<std::uint32_t>(address);
    case 8:
      return in_memory<std::uint64_t>(address);
    default:
      return in_memory<Uint128>(address);
  }
}

void put_value(Address address, std::uint8_t bytes, const memory::Value& value) {
  memcpy(reinterpret_cast<void*>(address), &value, bytes);  // little-endian, as the values are
}

}  // namespace

template <typename T>
void Execution::volatile_load(Address address, std::uint64_t pc) {
  const MemoryOrder order = order_of(spec(), false);
  const AtomicSite site = {address, order, pc};
  await_turn<T>(*this, EventKind::kVolatileRead, site);
  AtomicOperation<T> operation(*this, site);
  const std::uint32_t count = memory_.begin_load(operation.thread(), operation.place(), order);
  const memory::Candidate picked = choose_store(count);
  const memory::Value newest = memory_.commit_load(picked);
  operation.template finish<race::AccessOp::kVolatileRead>(newest);
  const T value = from_value<T>(picked.value);
  operation.note(EventKind::kVolatileRead, order, value, value, &picked, count);
  if (picked.value == newest) return;
  plain_write<T>(address, value);
  volatile_ = {true, false, {address, sizeof(T), picked.value}, newest, kNoEvent};
  race_.disturb();
}

template <typename T>
void Execution::volatile_store(Address address, std::uint64_t pc) {
  const MemoryOrder order = order_of(spec(), true);
  const AtomicSite site = {address, order, pc};
  await_turn<T>(*this, EventKind::kVolatileWrite, site);
  AtomicOperation<T> operation(*this, site);
  operation.template finish<race::AccessOp::kVolatileWrite>(operation.place().memory);
  volatile_ = {true, true, operation.place(), {}, next_event()};
  if (Event* event = record(EventKind::kVolatileWrite, pc)) {
    set_address(*event, address);
    event->size = sizeof(T);
    event->order = order;
  }
  race_.disturb();
}

void Execution::settle_volatile() {
  volatile_.is_pending = false;
  const memory::Place& place = volatile_.place;
  const memory::Value now = value_at(place.address, place.size);
  if (!volatile_.is_write) {
    // Whoever wrote there meanwhile was not seen, and knows better.
    if (now == place.memory) put_value(place.address, place.size, volatile_.newest);
    return;
  }
  if (!(now == place.memory)) changed();
  memory_.store(scheduler_.current(), place, order_of(spec(), true), now, volatile_.event);
  enter_epoch();
  hash(EventKind::kVolatileWrite, now.low);
  if (observer_ != nullptr)
    observe_access({EventKind::kVolatileWrite, order_of(spec(), true), place.size, place.address, 0},
                   nullptr);
  if (events_.is_on() && volatile_.event != kNoEvent && index_of(volatile_.event) < events_.count()) {
    Event& event = channel_.events()[index_of(volatile_.event)];
    event.value = event.value2 = now.low;
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
