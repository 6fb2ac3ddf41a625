// Shared program elements of programs built with `heddle c++ --full`: which of them matter to this run, and
// what the engine's bodies say of their accesses (compiler/plugin/element_hooks.h).
#include "core/record/build_version.h"
#include "core/trace/element_events.h"
#include "core/trace/event.h"
#include "runtime/abi/engine_access.h"
#include "runtime/abi/heddle/recording.h"
#include "runtime/record/element_recorder.h"

using heddle::Address;
using heddle::engine::ElementOrders;
using heddle::record::ElementEntry;
using heddle::record::ElementKind;
using heddle::record::ModuleTables;

namespace {

void record_access(heddle::engine::Execution& e, std::uint64_t element, Address address, bool writes,
                   std::uint64_t pc) {
  if ((e.spec().element_points & heddle::element_points::kEvents) == 0 || element == 0) return;
  heddle::Event* event =
      e.record(writes ? heddle::EventKind::kPlainWrite : heddle::EventKind::kPlainRead, pc);
  if (event == nullptr) return;
  event->address = address;
  heddle::set_element(*event, element);
}

// What compiled code says of an access beside its address: how many bytes (0: it does not know), and in the
// lowest bit whether it writes.
heddle::engine::Execution::ElementRange range_of(const void* address, std::uint32_t how) {
  return {reinterpret_cast<Address>(address), how >> 1, (how & 1) != 0};
}

std::uint64_t recorded_id(const ElementEntry& entry) {
  return entry.kind == ElementKind::kBlock ? 0 : entry.id;
}

}  // namespace

// Called by every translation unit's constructors before all others.
HEDDLE_EXPORT void __heddle_register_module(const ModuleTables* tables) {
  if (tables->version != heddle::record::kBuildVersion) return heddle::abi::refuse_module();
  if (tables->elements == nullptr) return;
  if (!heddle::abi::in_session()) {
    if (heddle::record::choose_elements(tables->elements, tables->elements_end, tables->all_static != 0))
      heddle::record::mark_groups(tables->groups, tables->groups_end);
    return;
  }
  const heddle::engine::Execution* e = heddle::abi::current;
  if (e == nullptr || (e->spec().element_points == 0 && !e->orders().any() && !e->orders().profiles()))
    return;
  for (ElementEntry* entry = tables->elements; entry != tables->elements_end; ++entry) {
    entry->index = e->orders().find(entry->id);
    entry->chosen = entry->index != ElementOrders::kNone ||
                    (entry->kind != ElementKind::kBlock
                         ? e->spec().element_points != 0
                         : (e->spec().element_points & heddle::element_points::kBlocks) != 0);
  }
}

// By its destructors, after all others.
HEDDLE_EXPORT void __heddle_forget_module(const ModuleTables* tables) {
  if (tables->version == heddle::record::kBuildVersion && !heddle::abi::in_session())
    heddle::record::forget_elements(tables->elements);
}

// What modules called that were compiled before they had a version.
HEDDLE_EXPORT void __heddle_register_elements() { heddle::abi::refuse_module(); }
HEDDLE_EXPORT void __heddle_forget_elements() {}

// Before an access that is no scheduling point by itself. Natively, of functions that have no body for
// recording.
HEDDLE_EXPORT void __heddle_element(ElementEntry* entry, const void* address, std::uint32_t how) {
  if (heddle::engine::Execution* e = heddle::abi::engine()) {
    const std::uint64_t pc = HEDDLE_CALLER_PC;
    const auto range = range_of(address, how);
    e->element_access(entry->index, range, pc);
    return record_access(*e, recorded_id(*entry), range.begin, range.writes, pc);
  }
  if (!heddle::abi::in_session()) heddle::record::touch_element(entry);
}

// Of synchronisation objects without an address.
HEDDLE_EXPORT void __heddle_await_element(ElementEntry* entry, const void* address, std::uint32_t how) {
  if (heddle::engine::Execution* e = heddle::abi::engine())
    e->await_element(entry->index, range_of(address, how));
}

HEDDLE_EXPORT void __heddle_passed_element(ElementEntry* entry) {
  if (heddle::engine::Execution* e = heddle::abi::engine()) {
    e->elements().pass(e->self());
    return record_access(*e, recorded_id(*entry), 0, true, HEDDLE_CALLER_PC);
  }
  if (!heddle::abi::in_session()) heddle::record::touch_element(entry);
}

// After a lock was taken.
HEDDLE_EXPORT void __heddle_passed_lock(ElementEntry* entry, const void* lock) {
  if (heddle::engine::Execution* e = heddle::abi::engine()) {
    e->elements().take_lock(e->self(), reinterpret_cast<Address>(lock), entry->index, recorded_id(*entry));
    return record_access(*e, recorded_id(*entry), 0, true, HEDDLE_CALLER_PC);
  }
  if (!heddle::abi::in_session()) heddle::record::took_lock(entry, lock);
}

// Before a wait for a condition, which gives up the mutex and takes it again; and after it.
HEDDLE_EXPORT void __heddle_await_mutex(const void* mutex) {
  if (heddle::engine::Execution* e = heddle::abi::engine())
    e->elements().await_mutex(e->self(), reinterpret_cast<Address>(mutex));
}

HEDDLE_EXPORT void __heddle_passed_wait(const void* mutex) {
  if (heddle::engine::Execution* e = heddle::abi::engine()) {
    const auto address = reinterpret_cast<Address>(mutex);
    e->elements().take_again(e->self(), address);
    return record_access(*e, e->orders().element_of_lock(e->self().id, address), 0, true, HEDDLE_CALLER_PC);
  }
  if (!heddle::abi::in_session()) heddle::record::took_again(mutex);
}
