// Shared program elements as a module compiled by `heddle c++ --full` brings them along: what its code tests
// and hands to the runtime, and the names for those who read logs. The compiler's plugin lays this out;
// docs/design/record-format.md.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::record {

enum class ElementKind : std::uint8_t { kGlobal = 0, kField, kAllocation, kSynchronisation, kBlock };
inline constexpr std::uint8_t kElementKinds = 5;

// One for each element in a module's section `heddle_elements`. Compiled code only reads it, so that it stays
// in every processor's cache; what whoever accesses the element writes is elsewhere. All zero but id and kind
// until the runtime chooses it.
struct alignas(32) ElementEntry {
  std::uint64_t id;  // hash of the canonical name
  // Twice the number of writes; odd: one is under way. In a cache line of its own; nullptr: not chosen.
  std::atomic<std::uint64_t>* version;
  std::uint8_t chosen;  // compiled code calls the runtime only where this is set
  ElementKind kind;
  std::uint8_t unused[2];
  std::uint32_t index;  // where the runtime keeps what it knows of it
};
static_assert(sizeof(ElementEntry) == 32);

// Where compiled code looks in it.
inline constexpr std::uint32_t kVersionInEntry = 8;
inline constexpr std::uint32_t kChosenInEntry = 16;

// Elements that a piece of code touches, which asks for all of them at once. In a module's section
// `heddle_element_groups`, without padding; after each come `count` numbers of four bytes, from whose address
// it is so far to an entry.
struct ElementGroup {
  std::uint8_t is_any_chosen;  // the runtime says so when the module is loaded
  std::uint8_t unused[3];
  std::uint32_t count;
};
static_assert(sizeof(ElementGroup) == 8 && alignof(ElementGroup) == 4);

// When the entries of the module are chosen.
inline void mark_groups(ElementGroup* begin, const ElementGroup* end) {
  for (ElementGroup* group = begin; group < end;) {
    const auto* way = reinterpret_cast<const std::int32_t*>(group + 1);
    const std::int32_t* const last = way + group->count;
    group->is_any_chosen = 0;
    for (; way != last; ++way) {
      const auto* entry = reinterpret_cast<const ElementEntry*>(reinterpret_cast<const char*>(way) + *way);
      if (entry->chosen != 0) group->is_any_chosen = 1;
    }
    group = reinterpret_cast<ElementGroup*>(const_cast<std::int32_t*>(last));
  }
}

inline constexpr char kElementSection[] = "heddle_elements";
inline constexpr char kElementGroupSection[] = "heddle_element_groups";
// Packed records without padding: id (8 bytes), kind (1), name and place as strings that end in a zero byte.
inline constexpr char kElementNameSection[] = "heddle_element_names";

}  // namespace heddle::record
