// The definition of a data race, checked pair by pair: keeps every access and, as a set, all accesses that
// happen before each thread's next one. Knows neither clocks nor epochs, and includes nothing of the detector
// but its values.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "runtime/race/race.h"

namespace heddle::race {

class Oracle {
 public:
  static constexpr std::size_t kMaxAccesses = 1024;
  using Accesses = std::bitset<kMaxAccesses>;

  struct Access {
    AccessOp op;
    Address begin;
    std::uint64_t size;
    std::uint32_t thread;
    std::uint32_t time;
    Deed deed;
  };

  explicit Oracle(std::uint32_t threads) : before_(threads) {}

  void release(std::uint32_t t, std::uint32_t lock) { locks_[lock] |= before_[t]; }
  void acquire(std::uint32_t t, std::uint32_t lock) { before_[t] |= locks_[lock]; }
  void end_and_recreate(std::uint32_t t, std::uint32_t joiner) {
    before_[joiner] |= before_[t];
    before_[t] = before_[joiner];
  }

  // The pair (an earlier access, a byte) for each race of this one.
  struct Meeting {
    std::size_t previous;
    Address byte;
  };
  std::vector<Meeting> access(const Access& now) {
    std::vector<Meeting> races;
    for (Address byte = now.begin; byte < now.begin + now.size; ++byte) {
      for (const std::size_t p : history_[byte]) {
        if (!before_[now.thread][p] && may_race(accesses_[p], now)) races.push_back({p, byte});
      }
      history_[byte].push_back(accesses_.size());
    }
    before_[now.thread].set(accesses_.size());
    accesses_.push_back(now);
    return races;
  }

  void reset_range(Address begin, std::uint64_t size) {
    for (Address byte = begin; byte < begin + size; ++byte) history_.erase(byte);
  }

  const Access& operator[](std::size_t i) const { return accesses_[i]; }
  std::size_t size() const { return accesses_.size(); }

 private:
  static bool writes(AccessOp op) {
    return op == AccessOp::kWrite || op == AccessOp::kAtomicWrite || op == AccessOp::kVolatileWrite;
  }
  static bool is_plain(AccessOp op) { return op == AccessOp::kRead || op == AccessOp::kWrite; }
  static bool may_race(const Access& a, const Access& b) {
    return (writes(a.op) || writes(b.op)) && (is_plain(a.op) || is_plain(b.op));
  }

  std::vector<Access> accesses_;
  std::vector<Accesses> before_;
  std::map<std::uint32_t, Accesses> locks_;
  std::map<Address, std::vector<std::size_t>> history_;
};

}  // namespace heddle::race
