// Histories of accesses: who accessed which store of a location, and since when.
#include <algorithm>

#include "runtime/memory/modification_order.h"

namespace heddle::memory {
namespace {

constexpr std::uint32_t kFirstHistory = 4;
constexpr std::uint32_t kFirstAccessors = 2;
constexpr std::uint32_t kIndexedAccessors = 8;  // from here on an index by thread is worth its memory

template <typename T>
void double_capacity(Arena& arena, T*& items, std::uint32_t count, std::uint32_t& capacity,
                     std::uint32_t first) {
  const std::uint32_t larger = capacity == 0 ? first : capacity * 2;
  T* const room = arena.allocate_array<T>(larger);
  std::copy_n(items, count, room);
  if (capacity != 0) arena.release_array(items, capacity);
  items = room;
  capacity = larger;
}

}  // namespace

// For one more among the older accesses.
void ModificationOrder::make_room(Location& x, History& history) {
  compact(x, history);
  if (history.count * 2 < history.capacity) return;
  double_capacity(arena_, history.older, history.count, history.capacity, kFirstHistory);
}

// An access of a store that is gone bounds nothing from below: all that was mo-before the store is gone too. So those
// are the first. Where there are fences the last of them stays, to tell from when on nothing has been forgotten.
void ModificationOrder::compact(Location& x, History& history) {
  std::uint32_t gone = 0;
  while (gone != history.count && !x.is_live(history.older[gone].store)) ++gone;
  if (gone == 0) return;
  if (threads_.global_fence_clock() != nullptr && (gone != history.count || x.is_live(history.last.store)))
    --gone;
  std::copy(history.older + gone, history.older + history.count, history.older);
  history.count -= gone;
}

void ModificationOrder::record_again(Location& x, History& history, std::uint32_t time) {
  if (history.count == history.capacity) make_room(x, history);
  history.older[history.count++] = history.last;
  history.last.time = time;
}

void ModificationOrder::push_seq_cst(Location& x) { record_again(x, x.seq_cst, x.seq_cst.last.time); }

void ModificationOrder::insert_access(Location& x, History& history, const Access& access) {
  if (history.count == history.capacity) make_room(x, history);
  std::uint32_t at = history.count++;
  if (history.last.time <= access.time) {
    history.older[at] = history.last;
    history.last = access;
    if (history.older[at].store == kNoSequence) --history.count;
    return;
  }
  for (; at != 0 && history.older[at - 1].time > access.time; --at) history.older[at] = history.older[at - 1];
  history.older[at] = access;
}

void ModificationOrder::add_soft(Location& x, const Soft& soft) {
  if (x.soft_count == x.soft_capacity) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < x.soft_count; ++i) {
      if (x.is_live(x.soft[i].store)) x.soft[kept++] = x.soft[i];
    }
    x.soft_count = kept;
    if (x.soft_count * 2 >= x.soft_capacity)
      double_capacity(arena_, x.soft, x.soft_count, x.soft_capacity, kFirstHistory);
  }
  x.soft[x.soft_count++] = soft;
}

// `new_number` is by slot of the location as it was.
void ModificationOrder::remap(History& history, const Location& old, const Sequence* new_number) {
  const auto renumber = [&](Sequence s) {
    return s - old.first < old.end - old.first ? new_number[old.slot(s)] : kNoSequence;
  };
  history.last.store = renumber(history.last.store);
  for (std::uint32_t i = 0; i < history.count; ++i) history.older[i].store = renumber(history.older[i].store);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < history.count; ++i) {
    const Access& next = i + 1 < history.count ? history.older[i + 1] : history.last;
    if (history.older[i].store != kNoSequence || next.store != kNoSequence)
      history.older[kept++] = history.older[i];
  }
  history.count = kept;
}

Accessor& ModificationOrder::add_accessor(Location& x, ThreadId t) {
  if (x.accessor_count == x.accessor_capacity) sweep_accessors(x);
  if (x.accessor_count == x.accessor_capacity)
    double_capacity(arena_, x.accessors, x.accessor_count, x.accessor_capacity, kFirstAccessors);
  x.accessors[x.accessor_count] = {{}, t, Accessor::kNoLessons};
  ++x.accessor_count;
  if (x.accessor_count > kIndexedAccessors) index_accessors(x, index_of(t) + 1);
  return x.accessors[x.accessor_count - 1];
}

void ModificationOrder::index_accessors(Location& x, std::uint32_t threads) {
  for (std::uint32_t i = 0; i < x.accessor_count; ++i)
    threads = std::max(threads, index_of(x.accessors[i].thread) + 1);
  if (threads > x.accessor_index_size) {
    std::uint32_t size = std::max(x.accessor_index_size, 32u);
    while (size < threads) size *= 2;
    if (x.accessor_index_size != 0) arena_.release_array(x.accessor_index, x.accessor_index_size);
    x.accessor_index = arena_.allocate_array<std::uint16_t>(size);
    x.accessor_index_size = size;
    std::fill_n(x.accessor_index, size, std::uint16_t{0});
    for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
      x.accessor_index[index_of(x.accessors[i].thread)] = static_cast<std::uint16_t>(i + 1);
    }
    return;
  }
  const ThreadId newest = x.accessors[x.accessor_count - 1].thread;
  x.accessor_index[index_of(newest)] = static_cast<std::uint16_t>(x.accessor_count);
}

// Threads that only accessed stores which are gone need no entry.
void ModificationOrder::sweep_accessors(Location& x) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    Accessor& a = x.accessors[i];
    compact(x, a.history);
    if (a.history.count == 0 && !x.is_live(a.history.last.store)) {
      x.forgotten = std::max(x.forgotten, threads_.sigma_at(a.thread, a.history.last.time));
      if (a.history.capacity != 0) arena_.release_array(a.history.older, a.history.capacity);
      if (x.accessor_index != nullptr) x.accessor_index[index_of(a.thread)] = 0;
      continue;
    }
    if (x.accessor_index != nullptr)
      x.accessor_index[index_of(a.thread)] = static_cast<std::uint16_t>(kept + 1);
    x.accessors[kept++] = a;
  }
  x.accessor_count = kept;
}

}  // namespace heddle::memory
