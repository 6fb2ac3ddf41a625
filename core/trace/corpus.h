// Choice logs of executions that showed something new, for a strategy that varies them; in memory that all
// workers share.
//
// What an execution of a round may see of it must not depend on timing (core/trace/learning.h). So
//   - the log of an execution with a new pair of places has a slot by the pair. The smallest index keeps it
//   for ever: of a later round
//     none can take it away;
//   - the log of an execution with a new fingerprint has a slot by the fingerprint, in one of two halves that
//   rounds use in turns: a round
//     writes one and reads the other.
// All zero is an empty corpus.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "core/trace/choice.h"

namespace heddle {

// One pick: its kind, and 13 bits of its key. Enough to find it among the alternatives of a choice.
struct Pick {
  std::uint16_t bits = 0;
  static constexpr Pick of(ChoiceKind kind, ChoiceKey key) {
    return {static_cast<std::uint16_t>(static_cast<std::uint64_t>(kind) << 13 |
                                       ((key.bits * 0x9e3779b97f4a7c15ull) >> 51))};
  }
  friend constexpr bool operator==(Pick, Pick) = default;
};

class Corpus {
 public:
  static constexpr std::uint32_t kMostPicks = 2048;  // of a log; what comes after is not kept

  void keep_for_pair(std::uint64_t pair, std::uint64_t index, std::span<const Pick> log) {
    keep(static_cast<std::uint32_t>(pair >> 40) % kByPair, index, log, false);
  }
  void keep_for_fingerprint(std::uint64_t fingerprint, std::uint64_t index, std::uint32_t round,
                            std::span<const Pick> log) {
    keep(
        kByPair + round % 2 * kByFingerprint + static_cast<std::uint32_t>(fingerprint >> 40) % kByFingerprint,
        index, log, true);
  }

  // The numbers of the logs that an execution may use of a round that begins with this index. Answers how
  // many.
  static constexpr std::uint32_t kMostLogs = 256 + 64;
  std::uint32_t logs(std::uint32_t round, std::uint64_t round_begin,
                     std::uint16_t (&numbers)[kMostLogs]) const;
  std::span<const Pick> log(std::uint16_t number) const {
    const std::uint32_t length = lengths_[number];
    return {length <= kShort ? short_[number] : long_[number], length};
  }

 private:
  static constexpr std::uint32_t kByPair = 256;
  static constexpr std::uint32_t kByFingerprint = 64;
  static constexpr std::uint32_t kEntries = kByPair + 2 * kByFingerprint;
  struct Owner {
    std::atomic<std::uint64_t> index;  // 1 + the execution whose log it is; 0: none
    std::atomic<std::uint32_t> locked;
  };
  // Short logs, which most are, lie together: few pages are touched (see FirstSeenByExecution).
  static constexpr std::uint32_t kShort = 256;
  void keep(std::uint32_t number, std::uint64_t index, std::span<const Pick> log, bool latest);

  Owner owners_[kEntries];
  std::uint32_t lengths_[kEntries];
  Pick short_[kEntries][kShort];
  Pick long_[kEntries][kMostPicks];
};

}  // namespace heddle
