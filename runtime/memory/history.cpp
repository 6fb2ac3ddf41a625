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

// An access of a store that is gone bounds nothing: all that was mo-before the store is gone too.
void ModificationOrder::compact(Location& x, History& history) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < history.count; ++i) {
    if (x.is_live(history.older[i].store)) history.older[kept++] = history.older[i];
  }
  history.count = kept;
}

// `new_number` is by slot of the location as it was.
void ModificationOrder::remap(History& history, const Location& old, const Sequence* new_number) {
  const auto renumber = [&](Sequence s) {
    return s - old.first < old.end - old.first ? new_number[old.slot(s)] : kNoSequence;
  };
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < history.count; ++i) {
    const Sequence s = renumber(history.older[i].store);
    if (s != kNoSequence) history.older[kept++] = {history.older[i].time, s};
  }
  history.count = kept;
  history.last.store = renumber(history.last.store);
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
