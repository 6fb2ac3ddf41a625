#include "runtime/record/element_recorder.h"

#include <time.h>

#include "core/base/pages.h"
#include "core/base/random.h"
#include "core/base/raw_syscall.h"
#include "core/record/element_log.h"

#define HEDDLE_RECORD_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::record {
namespace {

constexpr std::uint32_t kMostModules = 256;
constexpr std::uint32_t kTokenChunk = 64 * 1024;
constexpr std::uint32_t kKnownLocks = 16;
// Who waits for a write of another thread spins, then lets others run, then sleeps: the holder may have lost
// its processor, and to wait for that is nothing that should cost any.
constexpr std::uint32_t kSpins = 64;                                         // a round of them
constexpr std::uint32_t kYields = 4;                                         // rounds
constexpr std::uint32_t kShortestSleep = 20'000, kLongestSleep = 1'000'000;  // nanoseconds
// After so many, which take a second and more, the holder has left in the middle of its write (a handler of
// its fault has jumped away).
constexpr std::uint32_t kPatience = kSpins * 1000;

struct ThreadLog {
  ElementSlot* slots = nullptr;
  std::uint32_t slot_count = 0;
  std::uint64_t* length = nullptr;  // of the tokens
  unsigned char* tokens = nullptr;
  std::uint64_t capacity = 0;
  const ElementEntry* holding = nullptr;  // a signal handler may come while it is
  struct Lock {
    const void* address = nullptr;
    ElementEntry* entry = nullptr;
  } locks[kKnownLocks];  // the latest that it took
  std::uint32_t next_lock = 0;
  std::uint32_t waited = 0;  // for a write, in a row
  bool refused = false;
};

struct Recorder {
  ElementChoice choice;
  LogAccess log;
  bool running = false;
  std::uint32_t chosen = 0;  // elements, of all modules
  struct Range {
    ElementEntry* begin;
    ElementEntry* end;
  } modules[kMostModules] = {};
  std::uint32_t module_count = 0;
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

void tell(ElementSlot& slot, std::uint32_t index) {
  if ((self.length == nullptr || *self.length + kMostTokenBytes > self.capacity) && !begin_tokens())
    return give_up();
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

// The pair of reads and writes is complete.
void fold(ElementSlot& slot, std::uint32_t index) {
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

[[gnu::noinline, gnu::cold]] ElementSlot* begin_thread(std::uint32_t index) {
  if (self.refused || !recorder.running) return nullptr;
  // Modules that are loaded later have elements, too: those are for threads that come later.
  const std::uint32_t count = __atomic_load_n(&recorder.chosen, __ATOMIC_ACQUIRE);
  if (self.slots == nullptr) {
    self.slots = static_cast<ElementSlot*>(
        recorder.log.chunk(ChunkKind::kSlots, std::uint64_t{count} * sizeof(ElementSlot)));
    self.refused = self.slots == nullptr;
    if (self.refused) give_up();
    self.slot_count = self.refused ? 0 : count;
  }
  return index < self.slot_count ? &self.slots[index] : nullptr;
}

ElementSlot* slot_of(const ElementEntry& entry) {
  return entry.index < self.slot_count ? &self.slots[entry.index] : begin_thread(entry.index);
}

void wrote(const ElementEntry& entry, std::uint64_t before) {
  ElementSlot* slot = slot_of(entry);
  if (slot == nullptr) return;
  if (slot->version != before) begin_run(*slot, entry.index, before);
  ++slot->writes;
  slot->version = before + 1;
}

// Waits for an even version and makes it `after` more. The even one.
std::uint64_t advance(ElementEntry& entry, std::uint64_t by) {
  std::uint32_t rounds = 0;
  for (;;) {
    std::uint64_t version = entry.version.load(std::memory_order_relaxed);
    if ((version & 1) != 0 && rounds > kPatience) {
      give_up();
      version &= ~1ull;
      entry.version.store(version, std::memory_order_relaxed);
    }
    if ((version & 1) == 0 &&
        entry.version.compare_exchange_weak(version, version + by, std::memory_order_acquire,
                                            std::memory_order_relaxed))
      return version;
    if (!recorder.running) return version & ~1ull;
    relax(rounds);
  }
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

// The largest lot that is among the `wanted` smallest: found bit by bit, so that nothing need be sorted or
// kept.
std::uint64_t threshold(const ElementEntry* begin, const ElementEntry* end, bool all_static,
                        std::uint64_t wanted) {
  std::uint64_t bound = 0;
  for (unsigned bit = 64; bit-- > 0;) {
    const std::uint64_t tried = bound | 1ull << bit;
    std::uint64_t below = 0;
    for (const ElementEntry* e = begin; e != end; ++e)
      below += is_candidate(*e, all_static) && lot_of(*e) < tried;
    if (below < wanted) bound = tried;
  }
  return bound;
}

}  // namespace

void start_element_recorder(const ElementChoice& choice, const LogAccess& log) {
  recorder.choice = choice;
  recorder.log = log;
  recorder.chosen = recorder.module_count = 0;
  recorder.running = true;
}

void choose_elements(ElementEntry* begin, ElementEntry* end, bool all_static) {
  if (!recorder.running || recorder.module_count == kMostModules) return;
  for (std::uint32_t i = 0; i < recorder.module_count; ++i) {
    if (recorder.modules[i].begin == begin) return;  // each of its translation units asks
  }
  recorder.modules[recorder.module_count++] = {begin, end};
  std::uint64_t candidates = 0;
  for (const ElementEntry* e = begin; e != end; ++e) candidates += is_candidate(*e, all_static);
  const std::uint32_t percent = recorder.choice.percent;
  std::uint64_t wanted = percent != 0 ? (candidates * percent + 50) / 100 : recorder.chosen == 0 ? 1 : 0;
  if (percent != 0 && wanted == 0) wanted = 1;
  if (wanted > candidates) wanted = candidates;
  auto* ids = static_cast<std::uint64_t*>(
      recorder.log.chunk(ChunkKind::kElements, (2 + wanted) * sizeof(std::uint64_t)));
  if (ids == nullptr) return give_up();
  std::uint64_t* const chunk = ids;
  *ids++ = candidates;
  *ids++ = wanted;
  const std::uint64_t bound = wanted != 0 ? threshold(begin, end, all_static, wanted) : 0;
  std::uint32_t index = recorder.chosen;
  for (ElementEntry* e = begin; e != end && index < recorder.chosen + wanted; ++e) {
    if (!is_candidate(*e, all_static) || lot_of(*e) > bound) continue;
    ids[index - recorder.chosen] = e->id;
    e->index = index++;
    e->chosen = 1;
  }
  __atomic_store_n(&recorder.chosen, index, __ATOMIC_RELEASE);
  recorder.log.seal(chunk, (2 + wanted) * sizeof(std::uint64_t));
}

void stop_element_recorder() {
  if (!recorder.running) return;
  recorder.running = false;
  for (std::uint32_t i = 0; i < recorder.module_count; ++i) {
    for (ElementEntry* e = recorder.modules[i].begin; e != recorder.modules[i].end; ++e) e->chosen = 0;
  }
}

void end_element_thread() {
  seal_tokens();
  if (self.slots != nullptr) recorder.log.seal(self.slots, self.slot_count * sizeof(ElementSlot));
  self = {};
  self.refused = true;
}

void touch_element(ElementEntry* entry) {
  if (self.holding != nullptr) return;  // in a handler of a signal that came in the middle of a write
  wrote(*entry, advance(*entry, 2) >> 1);
}

void took_lock(ElementEntry* entry, const void* lock) {
  touch_element(entry);
  for (ThreadLog::Lock& known : self.locks) {
    if (known.address != lock) continue;
    known.entry = entry;
    return;
  }
  self.locks[self.next_lock++ % kKnownLocks] = {lock, entry};
}

void took_again(const void* lock) {
  for (const ThreadLog::Lock& known : self.locks) {
    if (known.address == lock && known.entry != nullptr && known.entry->chosen != 0)
      touch_element(known.entry);
  }
}

}  // namespace heddle::record

// --- what compiled code calls

using heddle::record::ElementEntry;
using heddle::record::self;

HEDDLE_RECORD_EXPORT void __heddle_touch_element(ElementEntry* entry) {
  heddle::record::touch_element(entry);
}

HEDDLE_RECORD_EXPORT void __heddle_took_lock(ElementEntry* entry, const void* lock) {
  heddle::record::took_lock(entry, lock);
}

HEDDLE_RECORD_EXPORT void __heddle_waited(const void* lock) { heddle::record::took_again(lock); }

HEDDLE_RECORD_EXPORT void __heddle_lock_element(ElementEntry* entry) {
  if (self.holding != nullptr) return;
  self.holding = entry;
  heddle::record::advance(*entry, 1);
}

HEDDLE_RECORD_EXPORT void __heddle_unlock_element(ElementEntry* entry) {
  if (self.holding != entry) return;
  const std::uint64_t version = entry->version.load(std::memory_order_relaxed) & ~1ull;
  entry->version.store(version + 2, std::memory_order_release);
  heddle::record::wrote(*entry, version >> 1);
  self.holding = nullptr;
}

// 1: somebody wrote meanwhile, or does; read again.
HEDDLE_RECORD_EXPORT std::uint32_t __heddle_read_element(ElementEntry* entry, std::uint64_t seen) {
  if ((seen & 1) != 0 || entry->version.load(std::memory_order_relaxed) != seen) [[unlikely]] {
    if (!heddle::record::recorder.running || self.holding == entry) return 0;
    if (self.waited > heddle::record::kPatience) heddle::record::give_up();
    heddle::record::relax(self.waited);
    return 1;
  }
  self.waited = 0;
  heddle::record::ElementSlot* slot = heddle::record::slot_of(*entry);
  if (slot == nullptr) return 0;
  if (slot->version != seen >> 1)
    heddle::record::begin_run(*slot, entry->index, seen >> 1);
  else if (slot->writes != 0)
    heddle::record::fold(*slot, entry->index);
  ++slot->reads;
  return 0;
}
