// Which elements of the loaded modules are recorded, and what all threads know of the recording. Inside of
// the recorder of elements: others include element_recorder.h.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/record/elements.h"
#include "runtime/record/element_recorder.h"

namespace heddle::record {

// What is written of a chosen element, and what stays when its module is unloaded; each in a line of cache.
struct alignas(128) ChosenElement {
  std::atomic<std::uint64_t> version{0};
  alignas(64) ElementEntry entry{};
};
static_assert(sizeof(ChosenElement) == 128);

struct Recording {
  LogAccess log;
  bool running = false;
  std::uint64_t began = 0;   // by the processor's clock
  std::uint32_t chosen = 0;  // elements, of all modules
};
extern constinit Recording recording;

// The log has no room for more: the recording ends.
[[gnu::noinline, gnu::cold]] void give_up();

}  // namespace heddle::record
