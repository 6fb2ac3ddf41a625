// How often each behaviour of executions was seen. One look-up for each execution of a campaign, while the
// workers want the processors: open addressing, one cache line a look-up, no memory of its own for an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/random.h"

namespace heddle::run {

class BehaviourCounts {
 public:
  std::size_t size() const { return size_; }

  void note(std::uint64_t behaviour) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    Entry& entry = entries_[place_of(behaviour)];
    if (entry.count == 0) {
      entry.behaviour = behaviour;
      ++size_;
      ++once_;
    } else if (entry.count == 1) {
      --once_;
    }
    if (entry.count < std::numeric_limits<std::uint32_t>::max()) ++entry.count;
  }

  // Behaviours that were seen exactly once, at no cost: for the progress line.
  std::size_t seen_once() const { return once_; }

  // Behaviours that were seen exactly so often.
  std::size_t seen(std::uint32_t times) const {
    std::size_t found = 0;
    for (const Entry& entry : entries_) found += entry.count == times ? 1 : 0;
    return found;
  }

 private:
  struct Entry {
    std::uint64_t behaviour = 0;
    std::uint32_t count = 0;  // saturating; 0: a free place
  };

  std::size_t place_of(std::uint64_t behaviour) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = mix(behaviour, 0) & mask;
    while (entries_[at].count != 0 && entries_[at].behaviour != behaviour) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Entry> old(entries_.empty() ? 1024 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.count != 0) entries_[place_of(entry.behaviour)] = entry;
    }
  }

  std::vector<Entry> entries_;  // a power of two
  std::size_t size_ = 0;
  std::size_t once_ = 0;
};

}  // namespace heddle::run
