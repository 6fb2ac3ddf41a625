// Which words of memory more than one thread has touched. An execution is run once to learn it, and again to
// record the plain accesses to those words alone: all others say nothing about what threads do to each other.
// An open hash table in a section of the channel; all zero is empty.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"

namespace heddle {

// Eight aligned bytes.
struct Granule {
  std::uint64_t key = 0;     // address / 8 + 1; 0: free
  std::uint32_t thread = 0;  // the first to touch it
  std::uint16_t is_shared = 0;
  std::uint16_t is_written = 0;
  // Names of locks that were held at every access so far (in writing, for a write). As many as are kept; 0:
  // none.
  static constexpr std::uint32_t kLocks = 2;
  std::uint64_t locks[kLocks] = {};

  static constexpr std::uint64_t kBytes = 8;
  static constexpr std::uint64_t key_of(Address address) { return address / kBytes + 1; }
};
static_assert(sizeof(Granule) == 32);

class Granules {
 public:
  Granules() = default;
  explicit Granules(std::span<Granule> table) : table_(table) {}

  // `locks`: that the thread holds, the latest last. False where there is no room for it.
  bool touch(Address address, ThreadId thread, bool writes, std::span<const std::uint64_t> locks = {}) {
    Granule* g = find(Granule::key_of(address));
    if (g == nullptr) return false;
    if (g->key == 0) {
      g->key = Granule::key_of(address);
      g->thread = index_of(thread);
      for (std::size_t i = 0; i < Granule::kLocks && i < locks.size(); ++i)
        g->locks[i] = locks[locks.size() - 1 - i];
    }
    for (std::uint64_t& kept : g->locks) {
      bool is_held = false;
      for (const std::uint64_t lock : locks) is_held = is_held || lock == kept;
      if (!is_held) kept = 0;
    }
    if (g->thread != index_of(thread)) g->is_shared = 1;
    if (writes) g->is_written = 1;
    return true;
  }
  void add(const Granule& granule) {
    if (Granule* g = find(granule.key)) *g = granule;
  }
  // Was it touched by several threads, one of which wrote? Memory that is only read orders nothing.
  bool is_shared(Address address) const {
    const Granule* g = find(Granule::key_of(address));
    return g != nullptr && g->key != 0 && g->is_shared != 0 && g->is_written != 0;
  }
  // Was it always touched while one and the same lock was held, which is among `locks`?
  bool is_protected(Address address, std::span<const std::uint64_t> locks) const {
    const Granule* g = find(Granule::key_of(address));
    if (g == nullptr || g->key == 0) return false;
    for (const std::uint64_t lock : locks) {
      if (lock == g->locks[0] || lock == g->locks[1]) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kMostProbes = 64;

  // The key's entry, or the free one where it would be put; nullptr: neither.
  Granule* find(std::uint64_t key) const {
    std::uint64_t at = (key * 0x9e3779b97f4a7c15ull) >> 20;
    for (std::uint32_t i = 0; i < kMostProbes && !table_.empty(); ++i, ++at) {
      Granule& g = table_[at % table_.size()];
      if (g.key == key || g.key == 0) return &g;
    }
    return nullptr;
  }

  std::span<Granule> table_;
};

}  // namespace heddle
