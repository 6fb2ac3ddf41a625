// Shared program elements as a module compiled by `heddle c++ --full` brings them along: what its code tests
// and hands to the runtime, and the names for those who read logs. The compiler's plugin lays this out;
// docs/record-format.md.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::record {

enum class ElementKind : std::uint8_t { kGlobal = 0, kField, kAllocation, kSynchronisation, kBlock };
inline constexpr std::uint8_t kElementKinds = 5;

// One for each element in a module's section `heddle_elements`, a cache line each: it is written by whoever
// accesses the element while it is recorded. All zero but id and kind until the runtime chooses it.
struct alignas(64) ElementEntry {
  std::uint64_t id;                    // hash of the canonical name
  std::atomic<std::uint64_t> version;  // twice the number of writes; odd: one is under way
  std::uint8_t chosen;                 // compiled code calls the runtime only where this is set
  ElementKind kind;
  std::uint8_t unused[2];
  std::uint32_t index;  // where the runtime keeps what it knows of it
};
static_assert(sizeof(ElementEntry) == 64);

inline constexpr char kElementSection[] = "heddle_elements";
// Packed records without padding: id (8 bytes), kind (1), name and place as strings that end in a zero byte.
inline constexpr char kElementNameSection[] = "heddle_element_names";

}  // namespace heddle::record
