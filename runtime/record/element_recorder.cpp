#include "runtime/record/element_recorder.h"

#include <time.h>
#include <x86intrin.h>

#include <new>

#include "core/base/pages.h"
#include "core/base/random.h"
#include "core/base/raw_syscall.h"
#include "core/record/element_log.h"

#define HEDDLE_RECORD_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::record {
namespace {

constexpr std::uint32_t kMostModules = 256;
constexpr std::uint32_t kTokenChunk = 64 * 1024;
// Locks that a thread took, by hash of their address; of those that share a set, the latest few are known.
constexpr std::uint32_t kLockSets = 32;
constexpr std::uint32_t kLocksInSet = 4;
constexpr std::uint32_t kMostSlotRanges = 8;
constexpr std::uint32_t kSlotsOnFirstPage = (kLogPage - kElementPayload) / sizeof(ElementSlot);
constexpr std::uint32_t kSlotsOnPage = kLogPage / sizeof(ElementSlot);
// Who waits for a write of another thread spins, then lets others run, then sleeps: the holder may have lost
// its processor, and to wait for that is nothing that should cost any.
constexpr std::uint32_t kSpins = 64;                                         // a round of them
constexpr std::uint32_t kYields = 4;                                         // rounds
constexpr std::uint32_t kShortestSleep = 20'000, kLongestSleep = 1'000'000;  // nanoseconds
// After so many, which take a second and more, the holder has left in the middle of its write (a handler of
// its fault has jumped away).
constexpr std::uint32_t kPatience = kSpins * 1000;
// Of the processor's clock, to a tick: entries of blocks take longer than that.
constexpr std::uint32_t kCyclesShift = 4;

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
  // Whose slot is being written, or who is held: a signal handler may come in the middle, and leaves it
  // alone.
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

// What is written of a chosen element, and what stays when its module is unloaded; each in a line of cache.
struct alignas(128) ChosenElement {
  std::atomic<std::uint64_t> version{0};
  alignas(64) ElementEntry entry{};
};
static_assert(sizeof(ChosenElement) == 128);

struct Recorder {
  ElementChoice choice;
  LogAccess log;
  bool running = false;
  std::uint64_t began = 0;   // by the processor's clock
  std::uint32_t chosen = 0;  // elements, of all modules
  struct Range {
    ElementEntry* begin;
    ElementEntry* end;
  } modules[kMostModules] = {};
  std::uint32_t module_count = 0;
  // Every candidate so far, by id: an open hash table.
  struct Known {
    std::uint64_t id = 0;
    ChosenElement* element = nullptr;  // nullptr: not chosen
  }* known = nullptr;
  std::uint64_t known_count = 0;
  std::uint64_t known_capacity = 0;  // a power of two
};
constinit Recorder recorder;

[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadLog self;

void relax(std::uint32_t& rounds) {
  if (++rounds % kSpins != 0) return __builtin_ia32_pause();
  const std::uint32_t round = rounds / kSpins;
  if (round <= kYields) {
    raw_syscall(SYS_sched_yield);
    return;
  }
  const std::uint32_t doublings = round - kYields < 6 ? round - kYields : 6;
  const std::uint32_t wanted = kShortestSleep << doublings;
  const timespec sleep{0, wanted < kLongestSleep ? wanted : kLongestSleep};
  raw_syscall(SYS_nanosleep, reinterpret_cast<long>(&sleep), 0);
}

[[gnu::noinline, gnu::cold]] void give_up() {
  stop_element_recorder();
  if (recorder.log.truncated != nullptr) recorder.log.truncated();
}

// --- what a thread did

void seal_tokens() {
  if (self.length != nullptr) recorder.log.seal(self.length, sizeof(std::uint64_t) + *self.length);
}

[[gnu::noinline, gnu::cold]] bool begin_tokens() {
  auto* chunk = static_cast<std::uint64_t*>(recorder.log.chunk(ChunkKind::kVectors, kTokenChunk));
  if (chunk == nullptr) return false;
  seal_tokens();
  self.length = chunk;
  self.tokens = reinterpret_cast<unsigned char*>(chunk + 1);
  self.capacity = kTokenChunk - sizeof(std::uint64_t);
  return true;
}

unsigned char* put(unsigned char* at, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) *at++ = static_cast<unsigned char>(n | 0x80);
  *at++ = static_cast<unsigned char>(n);
  return at;
}

bool has_room_for_token() {
  return (self.length != nullptr && *self.length + kMostTokenBytes <= self.capacity) || begin_tokens();
}

void tell(ElementSlot& slot, std::uint32_t index) {
  if (!has_room_for_token()) return give_up();
  unsigned char* const from = self.tokens + *self.length;
  unsigned char* at = put(from, index);
  at = put(at, slot.start - slot.told);
  at = put(at, slot.run_reads << 2 | (slot.run_writes != 0 ? kTokenWrites : 0) |
                   (slot.repeats > 1 ? kTokenRepeats : 0));
  if (slot.run_writes != 0) at = put(at, slot.run_writes);
  if (slot.repeats > 1) at = put(at, slot.repeats);
  *self.length += static_cast<std::uint64_t>(at - from);
  slot.start += slot.run_writes * slot.repeats;
  slot.told = slot.start;
  slot.repeats = 0;
}

void tell(BlockSlot& slot, std::uint32_t index) {
  if (!has_room_for_token()) return give_up();
  unsigned char* const from = self.tokens + *self.length;
  unsigned char* at = put(from, index);
  at = put(at, slot.start - slot.told);
  at = put(at, slot.entries);
  at = put(at, slot.began - slot.told_time);
  at = put(at, slot.latest - slot.began);
  *self.length += static_cast<std::uint64_t>(at - from);
  slot.told = slot.start + slot.entries;
  slot.told_time = slot.latest;
  slot.entries = 0;
}

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
[[gnu::noinline]] void begin_run(ElementSlot& slot, std::uint32_t index, std::uint64_t version) {
  if (slot.reads + slot.writes != 0) fold(slot, index);
  if (slot.repeats != 0) tell(slot, index);
  slot.start = slot.version = version;
}

[[gnu::noinline]] ElementSlot* later_slot(std::uint32_t index) {
  for (std::uint32_t i = 0; i < self.later_count; ++i) {
    const SlotRange& range = self.later[i];
    if (index - range.first < range.count) return &range.slots[index - range.first];
  }
  if (self.refused || !recorder.running) return nullptr;
  std::uint32_t first = self.slot_count;
  if (self.later_count != 0) {
    const SlotRange& last = self.later[self.later_count - 1];
    first = last.first + last.count;
  }
  // Whole pages: the rest is for modules that are loaded later.
  const std::uint32_t wanted = __atomic_load_n(&recorder.chosen, __ATOMIC_ACQUIRE) - first;
  const std::uint32_t pages =
      wanted > kSlotsOnFirstPage ? (wanted - kSlotsOnFirstPage + kSlotsOnPage - 1) / kSlotsOnPage : 0;
  const std::uint32_t count = kSlotsOnFirstPage + pages * kSlotsOnPage;
  auto* slots = self.later_count < kMostSlotRanges
                    ? static_cast<ElementSlot*>(
                          recorder.log.chunk(ChunkKind::kSlots, std::uint64_t{count} * sizeof(ElementSlot)))
                    : nullptr;
  if (slots == nullptr) {
    self.refused = true;
    give_up();
    return nullptr;
  }
  if (self.slots == nullptr) {
    self.slots = slots;
    self.slot_count = count;
  } else {
    self.later[self.later_count++] = {slots, first, count};
  }
  return &slots[index - first];
}

ElementSlot* slot_of(const ElementEntry& entry) {
  return entry.index < self.slot_count ? &self.slots[entry.index] : later_slot(entry.index);
}

// While a thread writes what it did.
class Writing {
 public:
  explicit Writing(const ElementEntry* entry) {
    self.holding = entry;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Writing() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    self.holding = nullptr;
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  // A signal came in the middle of it; or nobody knows the thread.
  static bool is_out_of_place() { return self.holding != nullptr || !self.begun; }
};

// Adds accesses that began at version `before`: the oldest access in the lowest bit, 1 for a write, and a 1
// above all.
[[gnu::always_inline]] inline void did(const ElementEntry& entry, std::uint64_t before,
                                       std::uint32_t accesses) {
  ElementSlot* slot = slot_of(entry);
  if (slot == nullptr) return;
  if (slot->version != before) begin_run(*slot, entry.index, before);
  for (; accesses > 1; accesses >>= 1) {
    if ((accesses & 1) != 0) {
      ++slot->writes;
      ++slot->version;
    } else {
      if (slot->writes != 0) fold(*slot, entry.index);
      ++slot->reads;
    }
  }
}

// A block was entered, which nobody holds: versions are only counted.
[[gnu::always_inline]] inline void entered(const ElementEntry& entry) {
  const std::uint64_t before = entry.version->fetch_add(2, std::memory_order_acquire) >> 1;
  ElementSlot* const place = slot_of(entry);
  if (place == nullptr) return;
  auto& slot = *reinterpret_cast<BlockSlot*>(place);
  std::uint64_t now = (__rdtsc() - recorder.began) >> kCyclesShift;
  // (Clocks of two processors may differ, and a thread may have come from the other one.)
  if (now < slot.latest) now = slot.latest;
  if (slot.entries == 0 || slot.version != before) {
    if (slot.entries != 0) tell(slot, entry.index);
    slot.start = slot.version = before;
    slot.began = now;
  }
  slot.latest = now;
  ++slot.version;
  ++slot.entries;
}

constexpr std::uint32_t kOneWrite = 0b11;

// Advances a version which was `seen` a moment ago.
[[gnu::noinline]] std::uint64_t advance_later(std::atomic<std::uint64_t>& version, std::uint64_t seen,
                                              std::uint64_t by) {
  for (std::uint32_t rounds = 0;;) {
    while ((seen & 1) != 0) {
      if (rounds > kPatience) {
        give_up();
        version.store(seen & ~1ull, std::memory_order_relaxed);
      }
      if (!recorder.running) return seen & ~1ull;
      relax(rounds);
      seen = version.load(std::memory_order_relaxed);
    }
    if (version.compare_exchange_strong(seen, seen + by, std::memory_order_acquire,
                                        std::memory_order_relaxed))
      return seen;
  }
}

// Waits for an even version and makes it `by` more. The even one.
[[gnu::always_inline]] inline std::uint64_t advance(const ElementEntry& entry, std::uint64_t by) {
  std::atomic<std::uint64_t>& version = *entry.version;
  // Mostly nobody else has written since this thread's latest access. To look first would fetch the line of
  // cache twice where somebody has: once to read, once to write.
  std::uint64_t seen = entry.index < self.slot_count ? self.slots[entry.index].version << 1 : 0;
  if (version.compare_exchange_strong(seen, seen + by, std::memory_order_acquire, std::memory_order_relaxed))
      [[likely]]
    return seen;
  return advance_later(version, seen, by);
}

std::uint32_t set_of(const void* lock) {
  return (reinterpret_cast<std::uint64_t>(lock) * 0x9e3779b97f4a7c15ull >> 32) % kLockSets;
}

// --- what is chosen

bool is_candidate(const ElementEntry& entry, bool all_static) {
  const ElementChoice& choice = recorder.choice;
  if ((entry.kind == ElementKind::kBlock) != (choice.kind == LogKind::kBlocks)) return false;
  if (choice.profile == nullptr || all_static) return true;
  std::uint64_t low = 0;
  std::uint64_t high = choice.profile_count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    choice.profile[middle] < entry.id ? low = middle + 1 : high = middle;
  }
  return low < choice.profile_count && choice.profile[low] == entry.id;
}

std::uint64_t lot_of(const ElementEntry& entry) { return mix(recorder.choice.instance, entry.id); }

// Its place in the table, or the free one where it belongs.
Recorder::Known& known_place(std::uint64_t id) {
  std::uint64_t at = id;
  while (recorder.known[at & (recorder.known_capacity - 1)].id != 0 &&
         recorder.known[at & (recorder.known_capacity - 1)].id != id)
    ++at;
  return recorder.known[at & (recorder.known_capacity - 1)];
}

// The runtime has no heap: a larger table is another one.
bool make_room_for_known(std::uint64_t more) {
  if (2 * (recorder.known_count + more) < recorder.known_capacity) return true;
  const Recorder::Known* before = recorder.known;
  const std::uint64_t capacity_before = recorder.known_capacity;
  std::uint64_t capacity = 1024;
  while (capacity <= 2 * (recorder.known_count + more)) capacity *= 2;
  auto* table = static_cast<Recorder::Known*>(map_pages(capacity * sizeof(Recorder::Known)));
  if (table == nullptr) return false;
  recorder.known = table;
  recorder.known_capacity = capacity;
  for (std::uint64_t i = 0; i < capacity_before; ++i) {
    if (before[i].id != 0) known_place(before[i].id) = before[i];
  }
  return true;
}

bool is_new_candidate(const ElementEntry& entry, bool all_static) {
  return is_candidate(entry, all_static) && known_place(entry.id).id == 0;
}

void choose(ElementEntry& entry, ChosenElement* element) {
  entry.version = &element->version;
  entry.index = element->entry.index;
  entry.chosen = 1;
}

// The largest lot that is among the `wanted` smallest: found bit by bit, so that nothing need be sorted or
// kept.
std::uint64_t threshold(const ElementEntry* begin, const ElementEntry* end, bool all_static,
                        std::uint64_t wanted) {
  std::uint64_t bound = 0;
  for (unsigned bit = 64; bit-- > 0;) {
    const std::uint64_t tried = bound | 1ull << bit;
    std::uint64_t below = 0;
    for (const ElementEntry* e = begin; e != end; ++e)
      below += is_new_candidate(*e, all_static) && lot_of(*e) < tried;
    if (below < wanted) bound = tried;
  }
  return bound;
}

}  // namespace

void start_element_recorder(const ElementChoice& choice, const LogAccess& log) {
  recorder.choice = choice;
  recorder.log = log;
  recorder.began = __rdtsc();
  recorder.chosen = recorder.module_count = 0;
  recorder.known_count = recorder.known_capacity = 0;
  recorder.running = true;
}

bool choose_elements(ElementEntry* begin, ElementEntry* end, bool all_static) {
  if (!recorder.running) return false;
  std::uint32_t place = recorder.module_count;
  for (std::uint32_t i = recorder.module_count; i-- > 0;) {
    if (recorder.modules[i].begin == begin) return false;  // each of its translation units asks
    if (recorder.modules[i].begin == nullptr) place = i;
  }
  if (place == kMostModules) return false;
  if (!make_room_for_known(static_cast<std::uint64_t>(end - begin))) {
    give_up();
    return false;
  }
  recorder.modules[place] = {begin, end};
  if (place == recorder.module_count) ++recorder.module_count;

  std::uint64_t candidates = 0;
  for (ElementEntry* e = begin; e != end; ++e) candidates += is_new_candidate(*e, all_static);
  const std::uint32_t percent = recorder.choice.percent;
  std::uint64_t wanted = percent != 0 ? (candidates * percent + 50) / 100 : recorder.chosen == 0 ? 1 : 0;
  if (percent != 0 && wanted == 0) wanted = 1;
  if (wanted > candidates) wanted = candidates;
  auto* ids = static_cast<std::uint64_t*>(
      recorder.log.chunk(ChunkKind::kElements, (2 + wanted) * sizeof(std::uint64_t)));
  auto* elements = static_cast<ChosenElement*>(map_pages((wanted + 1) * sizeof(ChosenElement)));
  if (ids == nullptr || elements == nullptr) {
    give_up();
    return false;
  }
  std::uint64_t* const chunk = ids;
  *ids++ = candidates;
  *ids++ = wanted;
  const std::uint64_t bound = wanted != 0 ? threshold(begin, end, all_static, wanted) : 0;
  std::uint32_t index = recorder.chosen;
  for (ElementEntry* e = begin; e != end; ++e) {
    if (!is_candidate(*e, all_static)) continue;
    Recorder::Known& known = known_place(e->id);
    if (known.id == 0) {
      known.id = e->id;
      ++recorder.known_count;
      if (lot_of(*e) <= bound && index < recorder.chosen + wanted) {
        const std::uint32_t at = index - recorder.chosen;
        ids[at] = e->id;
        known.element = new (&elements[at]) ChosenElement;
        known.element->entry = {e->id, &known.element->version, 1, e->kind, {}, index++};
      }
    }
    if (known.element != nullptr) choose(*e, known.element);
  }
  __atomic_store_n(&recorder.chosen, index, __ATOMIC_RELEASE);
  recorder.log.seal(chunk, (2 + wanted) * sizeof(std::uint64_t));
  return true;
}

void forget_elements(const ElementEntry* begin) {
  for (std::uint32_t i = 0; i < recorder.module_count; ++i) {
    if (recorder.modules[i].begin == begin) recorder.modules[i] = {};
  }
}

void stop_element_recorder() {
  if (!recorder.running) return;
  recorder.running = false;
  for (std::uint32_t i = 0; i < recorder.module_count; ++i) {
    for (ElementEntry* e = recorder.modules[i].begin; e != recorder.modules[i].end; ++e) e->chosen = 0;
  }
}

void begin_element_thread() { self.begun = true; }

void end_element_thread() {
  seal_tokens();
  if (self.slots != nullptr) recorder.log.seal(self.slots, self.slot_count * sizeof(ElementSlot));
  for (std::uint32_t i = 0; i < self.later_count; ++i)
    recorder.log.seal(self.later[i].slots, self.later[i].count * sizeof(ElementSlot));
  self = {};
}

void touch_element(ElementEntry* entry) {
  if (Writing::is_out_of_place()) return;
  const Writing writing(entry);
  if (entry->kind == ElementKind::kBlock) return entered(*entry);
  // Nobody holds a synchronisation object: it is told of when it is touched.
  const std::uint64_t before = entry->kind == ElementKind::kSynchronisation
                                   ? entry->version->fetch_add(2, std::memory_order_acquire)
                                   : advance(*entry, 2);
  did(*entry, before >> 1, kOneWrite);
}

void took_lock(ElementEntry* entry, const void* lock) {
  touch_element(entry);
  // The one that stays, should the module go.
  entry = &reinterpret_cast<ChosenElement*>(entry->version)->entry;
  const std::uint32_t set = set_of(lock);
  for (ThreadLog::Lock& known : self.locks[set]) {
    if (known.address != lock) continue;
    known.entry = entry;
    return;
  }
  self.locks[set][self.next_lock[set]++ % kLocksInSet] = {lock, entry};
}

void took_again(const void* lock) {
  for (const ThreadLog::Lock& known : self.locks[set_of(lock)]) {
    if (known.address == lock && recorder.running) touch_element(known.entry);
  }
}

}  // namespace heddle::record

// --- what compiled code calls

using heddle::record::ElementEntry;
using heddle::record::self;
using heddle::record::Writing;

HEDDLE_RECORD_EXPORT void __heddle_touch_element(ElementEntry* entry) {
  heddle::record::touch_element(entry);
}

HEDDLE_RECORD_EXPORT void __heddle_took_lock(ElementEntry* entry, const void* lock) {
  heddle::record::took_lock(entry, lock);
}

HEDDLE_RECORD_EXPORT void __heddle_waited(const void* lock) { heddle::record::took_again(lock); }

HEDDLE_RECORD_EXPORT void __heddle_lock_element(ElementEntry* entry) {
  if (Writing::is_out_of_place()) {
    ++self.out_of_place;
    return;
  }
  self.holding = entry;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  heddle::record::advance(*entry, 1);
}

// After accesses of which `writes` were writes; `accesses`: as did() has them.
HEDDLE_RECORD_EXPORT void __heddle_unlock_element(ElementEntry* entry, std::uint32_t writes,
                                                  std::uint32_t accesses) {
  if (self.out_of_place != 0) {
    --self.out_of_place;
    return;
  }
  if (self.holding != entry) return;
  const std::uint64_t version = entry->version->load(std::memory_order_relaxed) & ~1ull;
  entry->version->store(version + 2ull * writes, std::memory_order_release);
  heddle::record::did(*entry, version >> 1, accesses);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.holding = nullptr;
}

// 1: somebody wrote meanwhile, or does; read again.
HEDDLE_RECORD_EXPORT std::uint32_t __heddle_read_element(ElementEntry* entry, std::uint64_t seen) {
  if ((seen & 1) != 0 || entry->version->load(std::memory_order_relaxed) != seen) [[unlikely]] {
    if (!heddle::record::recorder.running || self.holding == entry) return 0;
    if (self.waited > heddle::record::kPatience) heddle::record::give_up();
    heddle::record::relax(self.waited);
    return 1;
  }
  self.waited = 0;
  if (Writing::is_out_of_place()) return 0;
  const Writing writing(entry);
  heddle::record::ElementSlot* slot = heddle::record::slot_of(*entry);
  if (slot == nullptr) return 0;
  if (slot->version != seen >> 1)
    heddle::record::begin_run(*slot, entry->index, seen >> 1);
  else if (slot->writes != 0)
    heddle::record::fold(*slot, entry->index);
  ++slot->reads;
  return 0;
}
