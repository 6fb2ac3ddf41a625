// The slots of a location and their memory: taken, moved into more of them, given back.
#include <algorithm>

#include "runtime/memory/masks.h"
#include "runtime/memory/modification_order.h"

namespace heddle::memory {
namespace {

constexpr std::uint32_t kMasks = 5;  // live, tails, maximal, blocks_in_use, chains

constexpr std::size_t slot_bytes(std::uint32_t words) {
  return sizeof(Store) + 8ull * words + sizeof(SlotAndBlock);
}
constexpr std::size_t array_bytes(std::uint32_t capacity, std::uint32_t words) {
  return capacity * slot_bytes(words) + kMasks * 8ull * words;
}
constexpr std::uint32_t words_for(std::uint32_t capacity) { return (capacity + 63) / 64; }

}  // namespace

void ModificationOrder::allocate(Location& x, std::uint32_t capacity) {
  x.capacity = capacity;
  x.words = words_for(capacity);
  char* p = static_cast<char*>(arena_.allocate(array_bytes(capacity, x.words)));
  const auto take = [&p](std::size_t bytes) {
    char* start = p;
    p += bytes;
    return start;
  };
  x.stores = reinterpret_cast<Store*>(take(capacity * sizeof(Store)));
  x.rows = reinterpret_cast<std::uint64_t*>(take(8ull * capacity * x.words));
  x.numbered = reinterpret_cast<SlotAndBlock*>(take(capacity * sizeof(SlotAndBlock)));
  x.live = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.tails = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.maximal = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.blocks_in_use = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  x.chains = reinterpret_cast<std::uint64_t*>(take(8ull * x.words));
  std::fill_n(x.live, std::size_t{kMasks} * x.words, 0ull);
  std::fill_n(x.rows, static_cast<std::size_t>(capacity) * x.words, 0ull);
  std::fill_n(x.numbered, capacity, SlotAndBlock{0, 0, 0});
}

void ModificationOrder::release(Location& x) {
  for_each_slot(x.live, x.words, [&](std::uint32_t slot) { views_.release(x.stores[slot].message.view); });
  arena_.release(x.stores, array_bytes(x.capacity, x.words));
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    const History& h = x.accessors[i].history;
    if (h.capacity != 0) arena_.release_array(h.older, h.capacity);
  }
  if (x.accessor_capacity != 0) arena_.release_array(x.accessors, x.accessor_capacity);
  if (x.accessor_index_size != 0) arena_.release_array(x.accessor_index, x.accessor_index_size);
  if (x.seq_cst.capacity != 0) arena_.release_array(x.seq_cst.older, x.seq_cst.capacity);
  if (x.soft_capacity != 0) arena_.release_array(x.soft, x.soft_capacity);
}

// While no number has wrapped around the ring, slots are numbers: growing is copying.
bool ModificationOrder::grow_in_place(Location& x, std::uint32_t capacity) {
  if (x.end > x.capacity || words_for(capacity) != 1 || capacity <= x.capacity) return false;
  const Location old = x;
  allocate(x, capacity);
  std::copy_n(old.stores, old.capacity, x.stores);
  std::copy_n(old.rows, old.capacity, x.rows);
  std::copy_n(old.numbered, old.capacity, x.numbered);
  std::copy_n(old.live, kMasks, x.live);
  arena_.release(old.stores, array_bytes(old.capacity, old.words));
  return true;
}

void ModificationOrder::rebuild(Location& x, std::uint32_t capacity) {
  if (grow_in_place(x, capacity)) return;
  const Location old = x;
  Sequence* new_number = arena_.allocate_array<Sequence>(old.capacity);
  std::uint32_t* new_block = arena_.allocate_array<std::uint32_t>(old.capacity);
  std::fill_n(new_number, old.capacity, kNoSequence);
  std::fill_n(new_block, old.capacity, kNoSequence);
  allocate(x, capacity);
  x.first = x.end = 0;
  std::uint32_t blocks = 0;
  for (Sequence s = old.first; s != old.end; ++s) {
    if (Location::test(old.live, old.slot(s))) new_number[old.slot(s)] = x.end++;
  }
  for (Sequence s = old.first; s != old.end; ++s) {
    const std::uint32_t from = old.slot(s);
    const Sequence to = new_number[from];
    if (to == kNoSequence) continue;
    x.stores[to] = old.stores[from];
    for_each_slot(old.row(s), old.words, [&](std::uint32_t b) { Location::set(x.row(to), new_number[b]); });
    Location::set(x.live, to);
    if (Location::test(old.tails, from)) Location::set(x.tails, to);
    if (Location::test(old.maximal, from)) Location::set(x.maximal, to);
    std::uint32_t& block = new_block[old.block_of(from)];
    if (block == kNoSequence) {
      block = blocks++;
      if (Location::test(old.chains, old.block_of(from))) Location::set(x.chains, block);
      Location::set(x.blocks_in_use, block);
      x.numbered[block].tail = new_number[old.slot(old.tail_of_block(old.block_of(from)))];
    }
    x.numbered[to].block = block;
    if (x.words == 1) x.numbered[block].members |= 1ull << to;
  }
  x.newest = new_number[old.slot(old.newest)];
  if (x.floor != kNoSequence) x.floor = new_number[old.slot(old.floor)];
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) remap(x.accessors[i].history, old, new_number);
  remap(x.seq_cst, old, new_number);
  for (std::uint32_t i = 0; i < x.soft_count; ++i) {
    Sequence& store = x.soft[i].store;
    store = store - old.first < old.end - old.first ? new_number[old.slot(store)] : kNoSequence;
  }
  arena_.release(old.stores, array_bytes(old.capacity, old.words));
  arena_.release_array(new_number, old.capacity);
  arena_.release_array(new_block, old.capacity);
}

}  // namespace heddle::memory
