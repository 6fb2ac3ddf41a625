#include "runtime/race/untouched.h"

#include "runtime/race/raw_memory.h"

namespace heddle::race {

bool Untouched::map() {
  granules_ = static_cast<std::uint32_t*>(reserve_memory(0, kGranulesSize));
  entries_ = static_cast<Entry*>(reserve_memory(0, kEntriesSize));
  if (granules_ != nullptr && entries_ != nullptr) return true;
  unmap();
  return false;
}

void Untouched::unmap() {
  if (granules_ != nullptr) unmap_memory(granules_, kGranulesSize);
  if (entries_ != nullptr) unmap_memory(entries_, kEntriesSize);
  granules_ = nullptr;
  entries_ = nullptr;
  count_ = 0;
}

void Untouched::fill(Address begin, Address end, std::uint32_t entry) {
  for (Address at = begin; at < end; at += kGranule) granules_[at >> kGranuleBits] = entry;
}

// Visits the granules or the entries, whichever are fewer.
void Untouched::forget(Address begin, Address end) {
  if ((end - begin) >> kGranuleBits <= count_) return fill(begin, end, 0);
  for (std::uint32_t i = 1; i <= count_; ++i) {
    const Address first = entries_[i].begin > begin ? entries_[i].begin : begin;
    fill(first, entries_[i].end < end ? entries_[i].end : end, 0);
  }
}

void Untouched::assign(Address begin, Address end, const PreciseRecord* allocation) {
  forget(begin, end);
  if (begin >= end || allocation == nullptr || count_ + 1 >= kMostEntries) return;
  if (end - begin > kMostBytes) end = begin + kMostBytes;
  entries_[++count_] = {*allocation, begin, end};
  fill(begin, end, count_);
}

void Untouched::reset() {
  for (std::uint32_t i = 1; i <= count_; ++i) fill(entries_[i].begin, entries_[i].end, 0);
  count_ = 0;
}

}  // namespace heddle::race
