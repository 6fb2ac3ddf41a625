// Shared program elements of programs built with `heddle c++ --full`: which of them matter to this run, and
// what the engine's bodies say of their accesses (compiler/plugin/element_hooks.h).
#include "runtime/abi/engine_access.h"
#include "runtime/record/element_recorder.h"

using heddle::Address;
using heddle::engine::ElementOrders;
using heddle::record::ElementEntry;
using heddle::record::ElementKind;

// Called by every module's constructors before all others.
HEDDLE_EXPORT void __heddle_register_elements(ElementEntry* begin, ElementEntry* end,
                                              std::uint32_t all_static) {
  if (!heddle::abi::in_session()) return heddle::record::choose_elements(begin, end, all_static != 0);
  const heddle::engine::Execution* e = heddle::abi::current;
  if (e == nullptr || (e->spec().element_points == 0 && !e->orders().any() && !e->orders().profiles()))
    return;
  for (ElementEntry* entry = begin; entry != end; ++entry) {
    entry->index = e->orders().find(entry->id);
    entry->chosen = entry->index != ElementOrders::kNone ||
                    (e->spec().element_points != 0 && entry->kind != ElementKind::kBlock);
  }
}

// Before an access that is no scheduling point by itself. Natively, of functions that have no body for
// recording.
HEDDLE_EXPORT void __heddle_element(ElementEntry* entry, const void* address, std::uint32_t writes) {
  if (heddle::engine::Execution* e = heddle::abi::engine())
    return e->element_access(entry->index, reinterpret_cast<Address>(address), writes != 0, HEDDLE_CALLER_PC);
  if (!heddle::abi::in_session()) heddle::record::touch_element(entry);
}

HEDDLE_EXPORT void __heddle_await_element(ElementEntry* entry) {
  if (heddle::engine::Execution* e = heddle::abi::engine()) e->await_element(entry->index);
}

HEDDLE_EXPORT void __heddle_passed_element(ElementEntry* entry) {
  if (heddle::engine::Execution* e = heddle::abi::engine()) return e->element_passed();
  if (!heddle::abi::in_session()) heddle::record::touch_element(entry);
}
