// Atomic operations of the program under the engine, one template for all sizes. The memory model says which
// stores may be read, the strategy picks one, and real memory is kept equal to the newest value. One kernel
// thread runs everything, so the accesses to real memory below are plain.
#pragma once

#include "core/trace/event.h"
#include "runtime/engine/execution.h"

namespace heddle::engine {

__extension__ using Uint128 = unsigned __int128;

template <typename T>
T plain_read(Address address) {
  return *reinterpret_cast<const volatile T*>(address);
}

template <typename T>
void plain_write(Address address, T value) {
  *reinterpret_cast<volatile T*>(address) = value;
}

template <typename T>
memory::Value to_value(T value) {
  if constexpr (sizeof(T) == 16) {
    return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
  } else {
    return {static_cast<std::uint64_t>(value), 0};
  }
}

template <typename T>
T from_value(const memory::Value& value) {
  if constexpr (sizeof(T) == 16) {
    return static_cast<T>(value.low) | static_cast<T>(value.high) << 64;
  } else {
    return static_cast<T>(value.low);
  }
}

struct AtomicSite {
  Address address;
  MemoryOrder order;
  std::uint64_t pc;
};

// Waits for the turn of an atomic operation.
template <typename T>
[[gnu::always_inline]] inline void await_turn(Execution& e, EventKind kind, const AtomicSite& site) {
  e.visible({kind, site.order, sizeof(T), site.address, site.pc});
  e.check_not_freed(site.address, sizeof(T), site.pc);
}

// One atomic operation, from its turn to its end. No call gets a pointer to one: it lives in registers where
// the way is short, and a longer one makes its own.
template <typename T>
class AtomicOperation {
 public:
  [[gnu::always_inline]] AtomicOperation(Execution& e, const AtomicSite& site)
      : e_(e), site_(site), place_{site.address, sizeof(T), to_value<T>(plain_read<T>(site.address))} {}
  // The location was found already: memory is not read twice. Another process that shares it may have
  // stored there between, and what it stored would be taken for old and written over.
  [[gnu::always_inline]] AtomicOperation(Execution& e, const AtomicSite& site, const memory::Found& found)
      : e_(e),
        site_(site),
        place_{site.address, sizeof(T),
               found ? memory::MemoryModel::newest_value(*found.location)
                     : to_value<T>(plain_read<T>(site.address))} {}

  ThreadId thread() const { return e_.scheduler().current(); }
  const memory::Place& place() const { return place_; }

  // After the model has committed: brings real memory up to date and shows the access to the race detector.
  template <race::AccessOp kOp>
  [[gnu::always_inline]] void finish(const memory::Value& newest) {
    if (!(newest == place_.memory)) plain_write<T>(site_.address, from_value<T>(newest));
    e_.atomic_access<kOp, sizeof(T)>(site_.address, site_.pc);
    if (kOp != race::AccessOp::kAtomicRead && is_release(site_.order)) e_.note_release();
  }

  [[gnu::always_inline]] void note(EventKind kind, MemoryOrder order, T read, T written,
                                   const memory::Candidate* candidate, std::uint32_t candidates) {
    e_.done_access(kind, order, static_cast<std::uint64_t>(read) + 31 * static_cast<std::uint64_t>(written),
                   candidate);
    if (e_.recording()) [[unlikely]]
      record(e_, site_.address, site_.pc, kind, order, read, written, candidate, candidates);
  }

 private:
  [[gnu::noinline]] static void record(Execution& e, Address address, std::uint64_t pc, EventKind kind,
                                       MemoryOrder order, T read, T written,
                                       const memory::Candidate* candidate, std::uint32_t candidates) {
    Event* event = e.record(kind, pc);
    if (event == nullptr) return;
    e.set_address(*event, address);
    event->order = order;
    event->size = sizeof(T);
    event->value = static_cast<std::uint64_t>(kind == EventKind::kAtomicStore ? written : read);
    event->value2 = static_cast<std::uint64_t>(written);
    event->location = e.memory().last_location();
    event->overtaken = static_cast<std::uint16_t>(e.memory().take_overtaken());
    if (e.memory().latest_only()) event->flags |= event_flags::kLatestOnly;
    if (candidate == nullptr) return;
    event->reads_from = candidate->event;
    event->candidates = static_cast<std::uint16_t>(candidates < 0xffff ? candidates : 0xffff);
    if (!candidate->newest) event->flags |= event_flags::kStale;
    if (candidate->writer == kNoThread) event->flags |= event_flags::kInitial;
    if (candidate->outcome == memory::ReadOutcome::kCasSpurious) event->flags |= event_flags::kSpurious;
  }

  Execution& e_;
  AtomicSite site_;
  memory::Place place_;
};

// --- where a seq_cst operation enters S: seldom there is something to choose.

inline void write_back(Execution& e) {
  for (const memory::Rewritten& r : e.memory().take_rewritten()) {
    const char* const from = reinterpret_cast<const char*>(&r.value);
    for (std::uint32_t i = 0; i < r.size; ++i) plain_write<char>(r.address + i, from[i]);
  }
}
[[gnu::noinline, gnu::cold]] inline void place_store(Execution& e, const memory::Place& place) {
  e.choices().choose_overtaking(e.memory().begin_store(e.scheduler().current(), place));
}

// Is the way of a read short? It is drawn, nobody looks on, and few stores are on offer.
inline bool is_short(Execution& e, const memory::Found& found, MemoryOrder order) {
  return e.choices().draws() && e.memory().reads_in_a_word(e.scheduler().current(), found, order);
}

// The one way in which a load reads. A short one leaves out what it does not need, and does the same.
template <bool kShort, typename T>
[[gnu::always_inline]] inline T load_chosen(Execution& e, AtomicOperation<T>& operation,
                                            const AtomicSite& site, const memory::Found& found) {
  using memory::MemoryModel;
  MemoryModel& memory = e.memory();
  const ThreadId t = operation.thread();
  const memory::Reading reading = kShort ? memory.begin_short_load(t, found, site.order)
                                         : memory.begin_load(t, operation.place(), site.order, found);
  const memory::Sequence store = e.choices().choose_store<kShort>(memory, reading);
  if (!kShort && reading.placed != 0) e.choices().choose_overtaking(memory.begin_spots(reading, store));
  memory::Candidate picked;
  if (!kShort) picked = MemoryModel::candidate(reading, store);  // as it is before the commit
  const memory::Store& read =
      kShort ? memory.commit_short_load(reading, store) : memory.commit_load(reading, store);
  const T value = from_value<T>(read.value);
  operation.template finish<race::AccessOp::kAtomicRead>(MemoryModel::newest_value(*reading.location));
  operation.note(EventKind::kAtomicLoad, site.order, value, value, kShort ? nullptr : &picked, reading.count);
  return value;
}

template <typename T>
[[gnu::noinline]] T load_anew(Execution& e, Address address, MemoryOrder order, std::uint64_t pc,
                              memory::Found found) {
  const AtomicSite site = {address, order, pc};
  AtomicOperation<T> operation(e, site, found);
  if (!found) e.check_initialised(operation.place(), site.pc);
  return load_chosen<false>(e, operation, site, found);
}

template <typename T>
[[gnu::always_inline]] inline T atomic_load(Execution& e, const AtomicSite& site) {
  await_turn<T>(e, EventKind::kAtomicLoad, site);
  AtomicOperation<T> operation(e, site);
  const auto found = e.memory().find(operation.thread(), operation.place());
  if (!found || e.is_watched()) return load_anew<T>(e, site.address, site.order, site.pc, found);
  if (!e.memory().load_repeats(operation.thread(), found, site.order)) {
    if (is_short(e, found, site.order)) return load_chosen<true>(e, operation, site, found);
    return load_anew<T>(e, site.address, site.order, site.pc, found);
  }
  const T value = from_value<T>(operation.place().memory);
  operation.template finish<race::AccessOp::kAtomicRead>(operation.place().memory);
  operation.note(EventKind::kAtomicLoad, site.order, value, value, nullptr, 1);
  return value;
}

template <typename T>
[[gnu::always_inline]] inline void atomic_store(Execution& e, const AtomicSite& site, T value) {
  await_turn<T>(e, EventKind::kAtomicStore, site);
  AtomicOperation<T> operation(e, site);
  if (!(operation.place().memory == to_value<T>(value))) e.changed();
  const memory::Place place = operation.place();  // the call gets a pointer to this one
  const bool may_overtake = is_seq_cst(site.order) && e.memory().may_overtake(operation.thread());
  if (may_overtake) [[unlikely]]
    place_store(e, place);
  operation.template finish<race::AccessOp::kAtomicWrite>(
      e.memory().store(operation.thread(), place, site.order, to_value<T>(value), e.next_event()));
  if (may_overtake) [[unlikely]]
    write_back(e);
  operation.note(EventKind::kAtomicStore, site.order, value, value, nullptr, 0);
}

// The one way in which an update reads and writes.
template <bool kShort, typename T, typename Compute>
[[gnu::noinline]] T update_chosen(Execution& e, Address address, MemoryOrder order, std::uint64_t pc,
                                  memory::Found found, Compute compute) {
  using memory::MemoryModel;
  const AtomicSite site = {address, order, pc};
  AtomicOperation<T> operation(e, site, found);
  if (!kShort && !found) e.check_initialised(operation.place(), site.pc);
  MemoryModel& memory = e.memory();
  const ThreadId t = operation.thread();
  const memory::Reading reading = kShort ? memory.begin_short_update(t, found, site.order)
                                         : memory.begin_update(t, operation.place(), site.order, found);
  const memory::Sequence store = e.choices().choose_store<kShort>(memory, reading);
  if (!kShort && reading.placed != 0) e.choices().choose_overtaking(memory.begin_spots(reading, store));
  memory::Candidate picked;
  if (!kShort) picked = MemoryModel::candidate(reading, store);  // as it is before the commit
  const T old = from_value<T>(reading.location->store(store).value);
  const T updated = compute(old);
  if (old != updated) e.changed();
  operation.template finish<race::AccessOp::kAtomicWrite>(
      kShort ? memory.commit_short_update(reading, store, to_value<T>(updated))
             : memory.commit_update(reading, store, to_value<T>(updated), e.next_event()));
  if (!kShort && reading.placed != 0) write_back(e);
  operation.note(EventKind::kAtomicUpdate, site.order, old, updated, kShort ? nullptr : &picked,
                 reading.count);
  return old;
}

// An update: reads a store that no other update has read and writes compute(value).
template <typename T, typename Compute>
[[gnu::always_inline]] inline T atomic_update(Execution& e, const AtomicSite& site, Compute compute) {
  await_turn<T>(e, EventKind::kAtomicUpdate, site);
  AtomicOperation<T> operation(e, site);
  const T old = from_value<T>(operation.place().memory);
  const T updated = compute(old);
  const auto found = e.memory().find(operation.thread(), operation.place());
  if (!found || e.is_watched())
    return update_chosen<false, T>(e, site.address, site.order, site.pc, found, compute);
  if (!e.memory().update_newest(operation.thread(), found, site.order, to_value<T>(updated))) {
    if (is_short(e, found, site.order) && memory::MemoryModel::has_room(found))
      return update_chosen<true, T>(e, site.address, site.order, site.pc, found, compute);
    return update_chosen<false, T>(e, site.address, site.order, site.pc, found, compute);
  }
  if (old != updated) e.changed();
  operation.template finish<race::AccessOp::kAtomicWrite>(to_value<T>(updated));
  operation.note(EventKind::kAtomicUpdate, site.order, old, updated, nullptr, 1);
  return old;
}

// The value read. A failed exchange is a load with the failure order, which may read an older store; a weak
// one may also fail for no reason ([atomics.types.operations]).
template <typename T>
T atomic_compare_exchange(Execution& e, const AtomicSite& site, MemoryOrder failure_order, T expected,
                          T desired, bool weak, bool& succeeded) {
  await_turn<T>(e, EventKind::kAtomicUpdate, site);
  AtomicOperation<T> operation(e, site);
  e.check_initialised(operation.place(), site.pc);
  const auto candidates = e.memory().readable_cas(
      operation.thread(), operation.place(),
      {site.order, failure_order, to_value<T>(expected), weak && e.choices().may_fail_spuriously()});
  const std::uint32_t index = e.choices().choose_cas_store(candidates);
  e.choices().choose_overtaking(e.memory().begin_cas_spots(index));
  const memory::Candidate picked = candidates[index];
  const auto count = static_cast<std::uint32_t>(candidates.size());
  const T old = from_value<T>(picked.value);
  succeeded = picked.outcome == memory::ReadOutcome::kCasSuccess;
  if (succeeded) {
    if (old != desired) e.changed();
    operation.template finish<race::AccessOp::kAtomicWrite>(
        e.memory().commit_success(index, to_value<T>(desired), e.next_event()));
    write_back(e);
    operation.note(EventKind::kAtomicUpdate, site.order, old, desired, &picked, count);
  } else {
    operation.template finish<race::AccessOp::kAtomicRead>(e.memory().commit_failure(index));
    operation.note(EventKind::kCasFailed, failure_order, old, expected, &picked, count);
  }
  return old;
}

inline void atomic_fence(Execution& e, MemoryOrder order, std::uint64_t pc) {
  e.visible({EventKind::kFence, order, 0, 0, pc});
  if (is_seq_cst(order)) e.choices().choose_overtaking(e.memory().begin_fence(e.scheduler().current()));
  e.memory().fence(e.scheduler().current(), order);
  if (is_seq_cst(order)) write_back(e);
  e.enter_epoch();
  e.done(EventKind::kFence, static_cast<std::uint64_t>(order));
  if (Event* event = e.record(EventKind::kFence, pc)) {
    event->order = order;
    event->overtaken = static_cast<std::uint16_t>(e.memory().take_overtaken());
  }
}

}  // namespace heddle::engine
