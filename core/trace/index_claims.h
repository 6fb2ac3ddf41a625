// Who runs which execution of a campaign, such that no index is lost with a process that is killed: for every
// worker the memory says at any moment which index it holds, also between two instructions of its taking one.
//
// `word_` holds the next index and the worker that took the one before. Whoever takes the next first writes
// down, in that worker's place, what it took: so the place of a worker is right, or the word still names it.
//
// Lies in memory that the tool and the workers share; all zero is the state at the beginning. A worker's
// place is written by one of its processes at a time, and read by others once that one has died.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

class IndexClaims {
 public:
  static constexpr std::uint32_t kMostWorkers = 1024;
  static constexpr std::uint64_t kNone = ~0ull;

  // The next index, for this worker; kNone where that is not below the limit, which may move: such an index
  // is not taken, since it may be below it later. REQUIRES: it is done with the one before.
  std::uint64_t take(std::uint32_t worker, const std::atomic<std::uint64_t>& limit) {
    std::atomic<std::uint64_t>& place = places_[worker];
    const std::uint64_t before = place.load(std::memory_order_relaxed) & ~kTaking;
    place.store(kTaking | before);
    for (;;) {
      std::uint64_t word = word_.load();
      help(word);
      const std::uint64_t index = word / kWorkers;
      if (index >= limit.load(std::memory_order_relaxed)) {
        place.store(before);
        return kNone;
      }
      if (!word_.compare_exchange_weak(word, (index + 1) * kWorkers + worker + 1)) continue;
      place.store(index + 1);
      return index;
    }
  }

  // The index that this worker took last; kNone: it has taken none. REQUIRES: the process that may have been
  // taking one has died.
  std::uint64_t latest(std::uint32_t worker) const {
    const std::uint64_t word = word_.load();
    const std::uint64_t place = places_[worker].load();
    const std::uint64_t before = place & ~kTaking;
    const bool is_named = word % kWorkers == worker + 1;
    if ((place & kTaking) != 0 && is_named && word / kWorkers > before) return word / kWorkers - 1;
    return before == 0 ? kNone : before - 1;
  }

  // The first index that nobody has taken.
  std::uint64_t next() const { return word_.load() / kWorkers; }

 private:
  static constexpr std::uint64_t kWorkers = 1u << 16;
  static constexpr std::uint64_t kTaking = 1ull << 63;
  static_assert(kMostWorkers < kWorkers);

  // Writes down what the worker took that the word names, if it has not done so itself. A worker that is
  // about to take another one already has that index, or a later one, in its place.
  void help(std::uint64_t word) {
    const std::uint64_t worker = word % kWorkers;
    if (worker == 0) return;
    const std::uint64_t taken = word / kWorkers;  // one more than the index
    std::atomic<std::uint64_t>& place = places_[worker - 1];
    std::uint64_t seen = place.load();
    if ((seen & kTaking) != 0 && (seen & ~kTaking) < taken) place.compare_exchange_strong(seen, taken);
  }

  std::atomic<std::uint64_t> word_;
  std::atomic<std::uint64_t>
      places_[kMostWorkers];  // one more than the index; with kTaking: of the one before
};

}  // namespace heddle
