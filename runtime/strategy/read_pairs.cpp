#include "runtime/strategy/read_pairs.h"

#include "core/base/raw_syscall.h"

namespace heddle::strategy {

void ReadPairs::share(const ReadPairs& other) {
  if (stores_ == other.stores_) return;
  raw_syscall(SYS_munmap, stores_, kStores * sizeof(Store));
  raw_syscall(SYS_munmap, pairs_, sizeof(Pairs));
  stores_ = other.stores_;
  pairs_ = other.pairs_;
}

void ReadPairs::clear() {
  for (std::uint32_t i = 0; i < pairs_->count; ++i) pairs_->table[pairs_->used[i]] = 0;
  pairs_->count = 0;
}

void ReadPairs::count(const Operation& operation) {
  const Store& store = slot_of(operation.read);
  const std::uint64_t written_at = store.key == key_of(operation.read) ? store.pc : 0;
  const std::uint64_t pair = (written_at * 0xff51afd7ed558ccdull ^ operation.pc) * 0x9e3779b97f4a7c15ull | 1;
  for (std::uint32_t tries = 0; tries < 8; ++tries) {
    const auto at = static_cast<std::uint32_t>((pair >> 50) + tries) % kPairs;
    if (pairs_->table[at] == pair) return;
    if (pairs_->table[at] != 0) continue;
    if (pairs_->count == kPairs / 2) return;
    pairs_->table[at] = pair;
    pairs_->used[pairs_->count++] = static_cast<std::uint16_t>(at);
    return;
  }
}

}  // namespace heddle::strategy
