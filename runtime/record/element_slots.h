// What each thread did to the chosen elements: slots and tokens in its part of the log
// (core/record/element_log.h). Inside of the recorder of elements: others include element_recorder.h.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/record/element_log.h"
#include "core/record/elements.h"

namespace heddle::record {

// Locks that a thread took, by hash of their address; of those that share a set, the latest few are known.
constexpr std::uint32_t kLockSets = 32;
constexpr std::uint32_t kLocksInSet = 4;
constexpr std::uint32_t kMostSlotRanges = 8;

// Slots of the elements from `first` on.
struct SlotRange {
  ElementSlot* slots = nullptr;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct ThreadLog {
  ElementSlot* slots = nullptr;  // of the first elements
  std::uint32_t slot_count = 0;
  std::uint64_t* length = nullptr;  // of the tokens
  unsigned char* tokens = nullptr;
  std::uint64_t capacity = 0;
  // The element whose slot is being written, or that is held. A signal handler that comes in the middle leaves
  // it alone.
  const ElementEntry* holding = nullptr;
  struct Lock {
    const void* address = nullptr;
    ElementEntry* entry = nullptr;
  } locks[kLockSets][kLocksInSet];  // that it took
  std::uint8_t next_lock[kLockSets] = {};
  std::uint32_t out_of_place = 0;  // writes under way that are not recorded
  std::uint32_t waited = 0;        // for a write, in a row
  bool begun = false;
  bool refused = false;
  SlotRange later[kMostSlotRanges];  // of modules that were loaded when it had slots already
  std::uint32_t later_count = 0;
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadLog thread_log;

// A slot's run is complete: it goes to the tokens.
void tell(ElementSlot& slot, std::uint32_t index);
void tell(BlockSlot& slot, std::uint32_t index);

// The pair of reads and writes is complete.
[[gnu::always_inline]] inline void fold(ElementSlot& slot, std::uint32_t index) {
  if (slot.repeats != 0 && slot.run_reads == slot.reads && slot.run_writes == slot.writes) {
    ++slot.repeats;
  } else {
    if (slot.repeats != 0) tell(slot, index);
    slot.run_reads = slot.reads;
    slot.run_writes = slot.writes;
    slot.repeats = 1;
  }
  slot.reads = slot.writes = 0;
}

// Somebody else has written since.
[[gnu::noinline]] void begin_run(ElementSlot& slot, std::uint32_t index, std::uint64_t version);

// The slot of an element that the thread's first slots do not hold; nullptr: nothing is recorded any more.
[[gnu::noinline]] ElementSlot* later_slot(std::uint32_t index);

inline ElementSlot* slot_of(const ElementEntry& entry) {
  return entry.index < thread_log.slot_count ? &thread_log.slots[entry.index] : later_slot(entry.index);
}

// While a thread writes what it did.
class Writing {
 public:
  explicit Writing(const ElementEntry* entry) {
    thread_log.holding = entry;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Writing() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_log.holding = nullptr;
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  // A signal came in the middle of it; or nobody knows the thread.
  static bool is_out_of_place() { return thread_log.holding != nullptr || !thread_log.begun; }
};

}  // namespace heddle::record
