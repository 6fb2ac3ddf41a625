// Loops in a list: equal rounds, one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tool/report/places.h"

namespace heddle::report {

inline constexpr std::size_t kLongestRound = 8;
inline constexpr std::size_t kFewestRounds = 4;

struct Rounds {
  std::size_t period = 0;
  std::size_t count = 0;  // 0: no loop

  // Of a loop the first round and the last are shown.
  std::size_t hidden_from(std::size_t start) const { return start + period; }
  std::size_t hidden_to(std::size_t start) const { return start + (count - 1) * period; }
  std::string instead() const {
    return period == 1 ? fmt::format("… the same {} more times", grouped(count - 2))
                       : fmt::format("… these {} events {} more times", period, grouped(count - 2));
  }
};

// The loop that starts at `start`, with the shortest round.
template <typename T, typename Same>
Rounds rounds_at(const std::vector<T>& all, std::size_t start, const Same& same) {
  for (std::size_t period = 1; period <= kLongestRound && start + period * kFewestRounds <= all.size();
       ++period) {
    std::size_t end = start + period;
    while (end < all.size() && same(all[end - period], all[end])) ++end;
    const Rounds rounds{period, (end - start) / period};
    if (rounds.count >= kFewestRounds) return rounds;
  }
  return {};
}

}  // namespace heddle::report
