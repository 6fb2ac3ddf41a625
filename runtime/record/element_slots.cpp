#include "runtime/record/element_slots.h"

#include "runtime/record/element_choice.h"

namespace heddle::record {

[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadLog thread_log;

namespace {

constexpr std::uint32_t kTokenChunk = 64 * 1024;
constexpr std::uint32_t kSlotsOnFirstPage = (kLogPage - kElementPayload) / sizeof(ElementSlot);
constexpr std::uint32_t kSlotsOnPage = kLogPage / sizeof(ElementSlot);

void seal_tokens() {
  if (thread_log.length != nullptr)
    recording.log.seal(thread_log.length, sizeof(std::uint64_t) + *thread_log.length);
}

[[gnu::noinline, gnu::cold]] bool begin_tokens() {
  auto* chunk = static_cast<std::uint64_t*>(recording.log.chunk(ChunkKind::kVectors, kTokenChunk));
  if (chunk == nullptr) return false;
  seal_tokens();
  thread_log.length = chunk;
  thread_log.tokens = reinterpret_cast<unsigned char*>(chunk + 1);
  thread_log.capacity = kTokenChunk - sizeof(std::uint64_t);
  return true;
}

unsigned char* put(unsigned char* at, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) *at++ = static_cast<unsigned char>(n | 0x80);
  *at++ = static_cast<unsigned char>(n);
  return at;
}

bool has_room_for_token() {
  return (thread_log.length != nullptr && *thread_log.length + kMostTokenBytes <= thread_log.capacity) ||
         begin_tokens();
}

}  // namespace

void tell(ElementSlot& slot, std::uint32_t index) {
  if (!has_room_for_token()) return give_up();
  unsigned char* const from = thread_log.tokens + *thread_log.length;
  unsigned char* at = put(from, index);
  at = put(at, slot.start - slot.told);
  at = put(at, slot.run_reads << 2 | (slot.run_writes != 0 ? kTokenWrites : 0) |
                   (slot.repeats > 1 ? kTokenRepeats : 0));
  if (slot.run_writes != 0) at = put(at, slot.run_writes);
  if (slot.repeats > 1) at = put(at, slot.repeats);
  *thread_log.length += static_cast<std::uint64_t>(at - from);
  slot.start += slot.run_writes * slot.repeats;
  slot.told = slot.start;
  slot.repeats = 0;
}

void tell(BlockSlot& slot, std::uint32_t index) {
  if (!has_room_for_token()) return give_up();
  unsigned char* const from = thread_log.tokens + *thread_log.length;
  unsigned char* at = put(from, index);
  at = put(at, slot.start - slot.told);
  at = put(at, slot.entries);
  at = put(at, slot.began - slot.told_time);
  at = put(at, slot.latest - slot.began);
  *thread_log.length += static_cast<std::uint64_t>(at - from);
  slot.told = slot.start + slot.entries;
  slot.told_time = slot.latest;
  slot.entries = 0;
}

void begin_run(ElementSlot& slot, std::uint32_t index, std::uint64_t version) {
  if (slot.reads + slot.writes != 0) fold(slot, index);
  if (slot.repeats != 0) tell(slot, index);
  slot.start = slot.version = version;
}

ElementSlot* later_slot(std::uint32_t index) {
  for (std::uint32_t i = 0; i < thread_log.later_count; ++i) {
    const SlotRange& range = thread_log.later[i];
    if (index - range.first < range.count) return &range.slots[index - range.first];
  }
  if (thread_log.refused || !recording.running) return nullptr;
  std::uint32_t first = thread_log.slot_count;
  if (thread_log.later_count != 0) {
    const SlotRange& last = thread_log.later[thread_log.later_count - 1];
    first = last.first + last.count;
  }
  // Whole pages: the rest is for modules that are loaded later.
  const std::uint32_t wanted = __atomic_load_n(&recording.chosen, __ATOMIC_ACQUIRE) - first;
  const std::uint32_t pages =
      wanted > kSlotsOnFirstPage ? (wanted - kSlotsOnFirstPage + kSlotsOnPage - 1) / kSlotsOnPage : 0;
  const std::uint32_t count = kSlotsOnFirstPage + pages * kSlotsOnPage;
  auto* slots = thread_log.later_count < kMostSlotRanges
                    ? static_cast<ElementSlot*>(
                          recording.log.chunk(ChunkKind::kSlots, std::uint64_t{count} * sizeof(ElementSlot)))
                    : nullptr;
  if (slots == nullptr) {
    thread_log.refused = true;
    give_up();
    return nullptr;
  }
  if (thread_log.slots == nullptr) {
    thread_log.slots = slots;
    thread_log.slot_count = count;
  } else {
    thread_log.later[thread_log.later_count++] = {slots, first, count};
  }
  return &slots[index - first];
}

void begin_element_thread() { thread_log.begun = true; }

void end_element_thread() {
  seal_tokens();
  if (thread_log.slots != nullptr)
    recording.log.seal(thread_log.slots, thread_log.slot_count * sizeof(ElementSlot));
  for (std::uint32_t i = 0; i < thread_log.later_count; ++i)
    recording.log.seal(thread_log.later[i].slots, thread_log.later[i].count * sizeof(ElementSlot));
  thread_log = {};
}

}  // namespace heddle::record
