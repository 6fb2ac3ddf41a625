// How locations come, change and go: seeding, re-initialisation, overlapping sizes, plain accesses.
#include <algorithm>

#include "core/base/check.h"
#include "runtime/memory/memory_model.h"

namespace heddle::memory {
namespace {

constexpr std::uint32_t kFirstCapacity = 2;

}  // namespace

Location& MemoryModel::create(Address address, std::uint8_t size, const Value& initial) {
  Location& x = *table_.insert(address, size);
  x.number = ++locations_made_;
  order_.allocate(x, kFirstCapacity);
  const std::uint64_t nothing = 0;
  x.floor = order_.append_store(x, &nothing);
  x.store(x.floor) = Store{};
  x.store(x.floor).value = initial;
  return x;
}

Location& MemoryModel::locate_slowly(Location* x, const Place& place) {
  if (x != nullptr && !x->latest_only) {
    // Code that cannot be seen has written here: an initialisation, or a library that synchronises by itself
    // (libc++'s call_once, libstdc++'s promises at thread exit). Who it was is not known; that anybody may
    // have published by it can hide a race and never makes one up.
    drop(x);
    Location& fresh = create(place.address, place.size, place.memory);
    Store& store = fresh.store(fresh.newest);
    store.message = threads_.publish_all();
    store.lambda = store.delta = total_order_.last();
    return fresh;
  }
  const Address begin = place.address;
  const Address end = begin + place.size;
  if (x == nullptr) {
    Location* other = table_.find_overlap(begin, begin, end);
    if (begin / kLineBytes != (end - 1) / kLineBytes) {
      x = &create(begin, place.size, place.memory);
      x->latest_only = true;
    } else if (other == nullptr) {
      return create(begin, place.size, place.memory);
    } else {
      x = other->latest_only ? other : &collapse_line(place);
    }
  }
  x->store(x->newest).value = place.memory;
  return *x;
}

// Accesses of different sizes overlap: from now on the whole line is one location that holds what real memory
// holds, and carries all that was released into any part of it.
Location& MemoryModel::collapse_line(const Place& place) {
  const Address line = place.address / kLineBytes * kLineBytes;
  Message all;
  SeqTime lambda = 0;
  table_.for_each_in(line, line + kLineBytes, [&](Location* x) {
    for_each_newest_first(*x, x->live, [&](Sequence s) {
      all = threads_.merge(all, ViewPool::retain(x->store(s).message));
      lambda = std::max(lambda, x->store(s).lambda);
    });
    drop(x);
  });
  Location& x = create(line, kLineBytes, place.memory);
  x.latest_only = true;
  x.store(x.newest).message = all;
  x.store(x.newest).lambda = lambda;
  return x;
}

void MemoryModel::drop(Location* x) {
  if (total_order_.last() != 0) total_order_.forget(*x);
  order_.settle(*x);
  order_.release(*x);
  table_.remove(x);
  if (pending_.location == x) pending_ = {};
}

bool MemoryModel::has_location(Address address, std::uint64_t size) {
  bool found = false;
  table_.for_each_in(address, address + size, [&](Location*) { found = true; });
  return found;
}

void MemoryModel::plain_read(ThreadId t, Address address, std::uint64_t size) {
  table_.for_each_in(address, address + size, [&](Location* x) {
    if (x->latest_only) return;
    find_bounds(bounds_, *x, t, MemoryOrder::kRelaxed, false);
    order_.constrain_read(*x, bounds_.known(), x->newest);
    record(*x, order_.accessor(*x, t), t, x->newest);
  });
}

void MemoryModel::plain_write(ThreadId, Address address, std::uint64_t size) {
  drop_range(address, address + size);
}

void MemoryModel::drop_range(Address begin, Address end) {
  table_.for_each_in(begin, end, [&](Location* x) { drop(x); });
}

std::span<const MoPosition> MemoryModel::modification_order_positions() {
  for (Location* x = table_.first(); x != nullptr; x = x->next) order_.settle(*x);
  return order_.positions();
}

}  // namespace heddle::memory
