#include "runtime/memory/location_table.h"

#include <algorithm>

namespace heddle::memory {
namespace {

constexpr std::uint32_t kFirstBits = 8;

}  // namespace

void LocationTable::reset() {
  shift_ = 64 - kFirstBits;
  count_ = 0;
  locations_ = nullptr;
  std::fill_n(filter_, kFilterBits / 64, 0);
  buckets_ = arena_.allocate_array<Location*>(1u << kFirstBits);
  std::fill_n(buckets_, 1u << kFirstBits, nullptr);
}

Location* LocationTable::find_overlap(Address line_address, Address begin, Address end) const {
  const Address line = line_address / kLineBytes;
  for (Location* x = buckets_[bucket(line)]; x != nullptr; x = x->next_in_bucket) {
    if (x->address / kLineBytes == line && x->address < end && begin < x->address + x->size) return x;
  }
  return nullptr;
}

Location* LocationTable::insert(Address address, std::uint8_t size) {
  if (count_ >= 1u << (64 - shift_)) grow();
  auto* x = static_cast<Location*>(arena_.allocate(sizeof(Location)));
  *x = Location{};
  x->address = address;
  x->size = size;
  Location*& head = buckets_[bucket(address / kLineBytes)];
  x->next_in_bucket = head;
  head = x;
  x->next = locations_;
  if (locations_ != nullptr) locations_->previous = x;
  locations_ = x;
  ++count_;
  add_to_filter(address / kLineBytes);
  add_to_filter((address + size - 1) / kLineBytes);  // one that is not aligned
  return x;
}

void LocationTable::remove(Location* x) {
  Location** link = &buckets_[bucket(x->address / kLineBytes)];
  while (*link != x) link = &(*link)->next_in_bucket;
  *link = x->next_in_bucket;
  (x->previous != nullptr ? x->previous->next : locations_) = x->next;
  if (x->next != nullptr) x->next->previous = x->previous;
  --count_;
  arena_.release(x, sizeof(Location));
}

void LocationTable::grow() {
  const std::uint32_t old = 1u << (64 - shift_);
  arena_.release_array(buckets_, old);
  shift_ -= 2;
  const std::uint32_t size = 1u << (64 - shift_);
  buckets_ = arena_.allocate_array<Location*>(size);
  std::fill_n(buckets_, size, nullptr);
  for (Location* x = locations_; x != nullptr; x = x->next) {
    Location*& head = buckets_[bucket(x->address / kLineBytes)];
    x->next_in_bucket = head;
    head = x;
  }
}

}  // namespace heddle::memory
