// The shortest prefix of a history that has no linearization.
//
// Prefixes of linearizable histories are linearizable, so one return is the first that cannot be. A checker
// that fails has seen results that came after that return: an operation that is pending in the prefix may have
// any result. So its first violation is a good guess and no more. The guess is tried first, then places near
// it, then halves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/linearize/answer.h"
#include "core/linearize/history.h"

namespace heddle::linearize {

// REQUIRES: `failed` is the answer for all of `history`, and not linearizable. `check` answers for a history.
template <typename HistoryOf, typename Check>
Answer shortest_violation(const HistoryOf& history, Answer failed, const Check& check) {
  constexpr int kGuesses = 8;
  std::vector<std::size_t> returns;  // lengths of the prefixes that end with a return
  for (std::size_t i = 0; i < history.events().size(); ++i) {
    if (history.events()[i].returns) returns.push_back(i + 1);
  }
  // Calls after the last return can change nothing, and are not to be spoken of.
  if (returns.back() < history.events().size()) failed = check(history.prefix(returns.back()));
  std::size_t good = 0;              // prefixes of `returns` that have a linearization
  std::size_t bad = returns.size();  // this prefix, counted from 1, has none
  std::size_t step = 1;
  bool guess_is_new = true;
  bool all_known = true;
  for (int tries = 0; good + 1 < bad; ++tries) {
    const auto guess = static_cast<std::size_t>(
        std::lower_bound(returns.begin(), returns.end(), failed.violation.prefix) - returns.begin() + 1);
    // A search names the farthest return that it came to; what is before that has a linearization.
    if (failed.method == Method::kSearch) good = std::max(good, guess - 1);
    if (good + 1 >= bad) break;
    std::size_t next = good + (bad - good) / 2;
    if (tries < kGuesses) {
      if (guess_is_new && guess > good && guess < bad) {
        next = guess;
      } else if (guess_is_new || good == 0) {
        next = std::max(good + 1, bad - std::min(bad - 1, step));
        step *= 2;
      } else {
        next = std::min(bad - 1, good + step);
        step *= 2;
      }
    }
    Answer answer = check(history.prefix(returns[next - 1]));
    if (answer.verdict == Verdict::kNotLinearizable) {
      bad = next;
      failed = std::move(answer);
      guess_is_new = true;
    } else {
      all_known = all_known && answer.verdict == Verdict::kLinearizable;
      good = next;
      guess_is_new = false;
    }
  }
  failed.violation.prefix = returns[bad - 1];
  failed.violation.operation = history.events()[returns[bad - 1] - 1].operation;
  failed.violation.shortest = all_known;
  if (failed.violation.pattern == Pattern::kNoPlace)
    failed.violation.operations = {failed.violation.operation};
  return failed;
}

}  // namespace heddle::linearize
