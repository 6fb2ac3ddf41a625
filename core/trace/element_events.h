// Where an event holds the id of the element that it accesses (element_points::kEvents, element_plan.h).
#pragma once

#include <cstdint>

#include "core/trace/event_kinds.h"

namespace heddle {

// An element's id is never 0. E is Event, or the tool's copy of one.
template <typename E>
constexpr void set_element(E& event, std::uint64_t element) {
  event.value2 = element;
}
// Of an event of an execution with these bits; 0: it is no access to an element.
template <typename E>
constexpr std::uint64_t element_of(const E& event) {
  return event.kind == EventKind::kPlainRead || event.kind == EventKind::kPlainWrite ? event.value2 : 0;
}

}  // namespace heddle
