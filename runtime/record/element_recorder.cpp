#include "runtime/record/element_recorder.h"

#include <time.h>
#include <x86intrin.h>

#include "core/base/raw_syscall.h"
#include "core/record/element_log.h"
#include "runtime/record/element_choice.h"
#include "runtime/record/element_slots.h"

#define HEDDLE_RECORD_EXPORT extern "C" __attribute__((visibility("default")))

namespace heddle::record {
namespace {

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
  std::uint64_t now = (__rdtsc() - recording.began) >> kCyclesShift;
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
      if (!recording.running) return seen & ~1ull;
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
  std::uint64_t seen = entry.index < thread_log.slot_count ? thread_log.slots[entry.index].version << 1 : 0;
  if (version.compare_exchange_strong(seen, seen + by, std::memory_order_acquire, std::memory_order_relaxed))
      [[likely]]
    return seen;
  return advance_later(version, seen, by);
}

std::uint32_t set_of(const void* lock) {
  return (reinterpret_cast<std::uint64_t>(lock) * 0x9e3779b97f4a7c15ull >> 32) % kLockSets;
}

}  // namespace

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
  for (ThreadLog::Lock& known : thread_log.locks[set]) {
    if (known.address != lock) continue;
    known.entry = entry;
    return;
  }
  thread_log.locks[set][thread_log.next_lock[set]++ % kLocksInSet] = {lock, entry};
}

void took_again(const void* lock) {
  for (const ThreadLog::Lock& known : thread_log.locks[set_of(lock)]) {
    if (known.address == lock && recording.running) touch_element(known.entry);
  }
}

}  // namespace heddle::record

// --- what compiled code calls

using heddle::record::ElementEntry;
using heddle::record::thread_log;
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
    ++thread_log.out_of_place;
    return;
  }
  thread_log.holding = entry;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  heddle::record::advance(*entry, 1);
}

// After accesses of which `writes` were writes; `accesses`: as did() has them.
HEDDLE_RECORD_EXPORT void __heddle_unlock_element(ElementEntry* entry, std::uint32_t writes,
                                                  std::uint32_t accesses) {
  if (thread_log.out_of_place != 0) {
    --thread_log.out_of_place;
    return;
  }
  if (thread_log.holding != entry) return;
  const std::uint64_t version = entry->version->load(std::memory_order_relaxed) & ~1ull;
  entry->version->store(version + 2ull * writes, std::memory_order_release);
  heddle::record::did(*entry, version >> 1, accesses);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  thread_log.holding = nullptr;
}

// 1: somebody wrote meanwhile, or does; read again.
HEDDLE_RECORD_EXPORT std::uint32_t __heddle_read_element(ElementEntry* entry, std::uint64_t seen) {
  if ((seen & 1) != 0 || entry->version->load(std::memory_order_relaxed) != seen) [[unlikely]] {
    if (!heddle::record::recording.running || thread_log.holding == entry) return 0;
    if (thread_log.waited > heddle::record::kPatience) heddle::record::give_up();
    heddle::record::relax(thread_log.waited);
    return 1;
  }
  thread_log.waited = 0;
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
