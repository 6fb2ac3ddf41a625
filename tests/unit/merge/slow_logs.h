// Logs as the thesis writes them down, and its definitions word for word, slow: what the product is compared
// with.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "tool/merge/store/log_set.h"

namespace heddle::merge {

using SlowVector = std::vector<int>;
using SlowLog = std::map<int, SlowVector>;  // element → access vector
using SlowLogs = std::vector<SlowLog>;

inline std::string encode(const SlowVector& vector) {
  VectorWriter writer;
  for (std::size_t i = 0, end = 0; i < vector.size(); i = end) {
    while (end < vector.size() && vector[end] == vector[i]) ++end;
    writer.add({static_cast<std::uint32_t>(vector[i]), end - i});
  }
  return writer.take();
}

inline void add_to(LogSet& set, const SlowLog& log, bool failed = true) {
  std::vector<Recorded> recorded;
  for (const auto& [element, vector] : log) {
    const ElementIndex e = set.element(static_cast<std::uint64_t>(element));
    recorded.push_back({e, set.vector(e, encode(vector))});
  }
  set.add(std::move(recorded), failed);
}

// Different logs only, so that index i is LogIndex i.
inline SlowLogs random_logs(Random& random, std::size_t count, int elements, int threads, int length,
                            int kinds) {
  std::vector<std::vector<SlowVector>> pools(static_cast<std::size_t>(elements));
  for (auto& pool : pools) {
    const std::uint32_t size = 1 + random.below(static_cast<std::uint32_t>(kinds));
    for (std::uint32_t i = 0; i < size; ++i) {
      SlowVector vector;
      const std::uint32_t accesses = random.below(static_cast<std::uint32_t>(length + 1));
      for (std::uint32_t j = 0; j < accesses; ++j)
        vector.push_back(static_cast<int>(random.below(static_cast<std::uint32_t>(threads))));
      pool.push_back(std::move(vector));
    }
  }
  std::set<SlowLog> known;
  SlowLogs logs;
  for (std::size_t i = 0; i < count; ++i) {
    SlowLog log;
    for (int e = 0; e < elements; ++e) {
      const auto& pool = pools[static_cast<std::size_t>(e)];
      if (random.below(2) == 0) log[e] = pool[random.below(static_cast<std::uint32_t>(pool.size()))];
    }
    if (!log.empty() && known.insert(log).second) logs.push_back(std::move(log));
  }
  return logs;
}

// As when one thread was a little faster here and there: neighbours change places, and the end comes sooner
// or later.
inline SlowVector disturbed(Random& random, SlowVector vector, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) {
    const std::size_t at = random.below(static_cast<std::uint32_t>(vector.size() - 1));
    std::swap(vector[at], vector[at + 1]);
  }
  if (random.below(3) == 0) vector.resize(vector.size() - random.below(3));
  if (random.below(3) == 0) vector.push_back(static_cast<int>(random.below(3)));
  return vector;
}

inline SlowVector random_vector(Random& random, std::uint32_t threads, std::size_t length) {
  SlowVector vector;
  while (vector.size() < length) vector.push_back(static_cast<int>(random.below(threads)));
  return vector;
}

// Runs that go one of a few ways, and differ from it a little in every element.
inline SlowLogs logs_of_ways(Random& random, std::size_t count, int elements, int ways) {
  std::vector<std::vector<SlowVector>> way(static_cast<std::size_t>(ways));
  for (auto& of_way : way) {
    for (int e = 0; e < elements; ++e) of_way.push_back(random_vector(random, 4, 60));
  }
  std::set<SlowLog> known;
  SlowLogs logs;
  while (logs.size() < count) {
    const auto& taken = way[random.below(static_cast<std::uint32_t>(ways))];
    SlowLog log;
    for (int e = 0; e < elements; ++e) {
      if (random.below(2) == 0)
        log[e] = disturbed(random, taken[static_cast<std::size_t>(e)], static_cast<std::uint32_t>(e % 4));
    }
    if (!log.empty() && known.insert(log).second) logs.push_back(std::move(log));
  }
  return logs;
}

// Table 3.1 and equations 3.1 to 3.4.
struct SlowMetrics {
  const SlowLogs& logs;
  std::set<int> elements;                        // S
  std::set<std::pair<int, SlowVector>> vectors;  // AV*

  explicit SlowMetrics(const SlowLogs& all) : logs(all) {
    for (const SlowLog& log : logs) {
      for (const auto& [element, vector] : log) {
        elements.insert(element);
        vectors.insert({element, vector});
      }
    }
  }
  double overall_dispersion(int element) const {
    double own = 0;
    for (const auto& [e, vector] : vectors) own += e == element ? 1 : 0;
    return own / static_cast<double>(vectors.size());
  }
  double individual_dispersion(int element) const {
    double recorded = 0;
    for (const SlowLog& log : logs) recorded += log.count(element) != 0 ? 1 : 0;
    return overall_dispersion(element) * static_cast<double>(vectors.size()) / recorded;
  }
  double psim(const SlowLog& a, const SlowLog& b) const {
    double equal = 0, different = 0;
    for (const auto& [element, vector] : a) {
      if (b.count(element) != 0) (b.at(element) == vector ? equal : different) += 1;
    }
    const auto all = static_cast<double>(elements.size());
    return equal / all * (1 - different / all);
  }
  double dsim(const SlowLog& a, const SlowLog& b) const {
    double equal = 0, different = 0;
    for (const auto& [element, vector] : a) {
      if (b.count(element) != 0) (b.at(element) == vector ? equal : different) += overall_dispersion(element);
    }
    return equal * (1 - different);
  }
  double dhs(const SlowLog& a, const SlowLog& b) const {
    double sum = 0;
    for (const auto& [element, vector] : a) {
      if (b.count(element) == 0) continue;
      SlowVector x = vector, y = b.at(element);
      while (x.size() < y.size()) x.push_back(-1);  // synthesized threads, different from all others
      while (y.size() < x.size()) y.push_back(-2);
      double equal = 0;
      for (std::size_t i = 0; i < x.size(); ++i) equal += x[i] == y[i] ? 1 : 0;
      sum += (x.empty() ? 1 : equal / static_cast<double>(x.size())) * overall_dispersion(element);
    }
    return sum;
  }
};

}  // namespace heddle::merge
