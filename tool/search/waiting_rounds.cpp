#include "tool/search/waiting_rounds.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/trace/path_question.h"

namespace heddle::search {
namespace {

constexpr std::size_t kLongestRound = PathQuestion::kLongestRound;  // steps

// Where rounds of this length end that go on at `at`.
std::size_t end_of_rounds(const Path& path, std::size_t at, std::size_t period) {
  while (at < path.size() && path[at] == path[at - period]) ++at;
  return at;
}

// All rounds of this length of which path[begin .. begin + period) is one.
Rounds rounds_around(const Path& path, std::size_t begin, std::size_t period) {
  Rounds rounds{begin, end_of_rounds(path, begin + period, period), period};
  while (rounds.begin > 0 && path[rounds.begin - 1] == path[rounds.begin - 1 + period]) --rounds.begin;
  return rounds;
}

// Many equal rounds that the step at `at` is in, or comes after.
std::optional<Rounds> many_rounds_at(const Path& path, std::size_t at) {
  for (std::size_t period = 1; period <= kLongestRound; ++period) {
    if (at + period <= path.size()) {
      if (const Rounds within = rounds_around(path, at, period); within.count() >= kManyRounds) return within;
    }
    if (at < period) continue;
    if (const Rounds before = rounds_around(path, at - period, period); before.count() >= kManyRounds)
      return before;
  }
  return std::nullopt;
}

void append(Path& path, const Path& from, std::size_t begin, std::size_t end) {
  path.insert(path.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

std::optional<Rounds> many_rounds_from(const Path& path, std::size_t begin) {
  for (std::size_t period = 1; period <= kLongestRound && begin + period * kManyRounds <= path.size();
       ++period) {
    const Rounds rounds{begin, end_of_rounds(path, begin + period, period), period};
    if (rounds.count() >= kManyRounds) return rounds;
  }
  return std::nullopt;
}

Path with_rounds_of(const Path& log, const ThreadPath& ran) {
  Path result;
  std::size_t in_log = 0;
  std::size_t in_ran = 0;
  while (in_log < log.size()) {
    const std::size_t begin = in_log;
    while (in_log < log.size() && in_ran < ran.path.size() && log[in_log] == ran.path[in_ran]) {
      ++in_log;
      ++in_ran;
    }
    append(result, log, begin, in_log);
    if (in_log == log.size() || in_ran == ran.path.size()) break;
    const auto rounds = many_rounds_at(log, in_log);
    if (!rounds) break;
    const bool others_decide = in_ran < ran.records.size() && ran.records[in_ran] != kNoRecord;
    if (in_log < rounds->end) {
      // The log goes round where the execution goes on: at the same step of a later round the log does, too?
      const bool at_same_step = (rounds->end - in_log) % rounds->period == 0;
      if (!others_decide || !at_same_step || rounds->end == log.size() ||
          log[rounds->end] != ran.path[in_ran])
        break;
      in_log = rounds->end;
    } else {
      // The execution goes round where the log goes on. (A log that was cut off after that many rounds may
      // have had more of them.)
      if (!others_decide && rounds->count() != kManyRounds) break;
      const std::size_t leaves = end_of_rounds(ran.path, in_ran, rounds->period);
      if (leaves == in_ran || (leaves - in_ran) % rounds->period != 0) break;
      append(result, ran.path, in_ran, leaves);
      in_ran = leaves;
    }
  }
  append(result, log, in_log, log.size());
  return result;
}

Path without_further_rounds(const Path& path) {
  Path result;
  for (std::size_t at = 0; at < path.size();) {
    const auto rounds = many_rounds_from(path, at);
    if (!rounds) {
      result.push_back(path[at++]);
      continue;
    }
    append(result, path, at, at + kManyRounds * rounds->period);
    at = rounds->end - (rounds->end - rounds->begin) % rounds->period;
    append(result, path, at, rounds->end);
    at = rounds->end;
  }
  return result;
}

}  // namespace heddle::search
