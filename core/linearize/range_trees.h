// Two small trees over an array: the best of a range, and counters that are raised by ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::linearize {

inline std::size_t power_of_two_from(std::size_t least) {
  std::size_t power = 1;
  while (power < least) power *= 2;
  return power;
}

// The index of the largest value of a range; values change one by one.
class LargestTree {
 public:
  explicit LargestTree(std::vector<std::int64_t> values)
      : values_(std::move(values)), leaves_(power_of_two_from(std::max<std::size_t>(values_.size(), 1))) {
    values_.resize(leaves_, kLowest);
    best_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) best_[leaves_ + i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = leaves_; i-- > 1;) best_[i] = better(best_[2 * i], best_[2 * i + 1]);
  }

  static constexpr std::int64_t kLowest = INT64_MIN;

  std::int64_t at(std::size_t index) const { return values_[index]; }

  void lower(std::size_t index) {
    values_[index] = kLowest;
    for (std::size_t i = (leaves_ + index) / 2; i >= 1; i /= 2)
      best_[i] = better(best_[2 * i], best_[2 * i + 1]);
  }

  // REQUIRES: first < last.
  std::size_t largest(std::size_t first, std::size_t last) const {
    auto result = static_cast<std::uint32_t>(first);
    for (first += leaves_, last += leaves_; first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) result = better(result, best_[first++]);
      if (last % 2 == 1) result = better(result, best_[--last]);
    }
    return result;
  }

 private:
  std::uint32_t better(std::uint32_t a, std::uint32_t b) const { return values_[b] > values_[a] ? b : a; }

  std::vector<std::int64_t> values_;
  std::size_t leaves_;
  std::vector<std::uint32_t> best_;
};

// Counters, none below 0, that are lowered by ranges; finds the next one that is 0.
class ZeroTree {
 public:
  explicit ZeroTree(const std::vector<std::uint32_t>& counters)
      : leaves_(power_of_two_from(std::max<std::size_t>(counters.size(), 1))),
        least_(2 * leaves_, kUnused),
        owed_(2 * leaves_, 0) {
    for (std::size_t i = 0; i < counters.size(); ++i)
      least_[leaves_ + i] = static_cast<std::int32_t>(counters[i]);
    for (std::size_t i = leaves_; i-- > 1;) least_[i] = std::min(least_[2 * i], least_[2 * i + 1]);
  }

  void lower(std::size_t first, std::size_t last) { lower(1, 0, leaves_, first, last); }

  // The first index from `from` whose counter is 0, or leaves() when there is none.
  std::size_t next_zero(std::size_t from) const { return next_zero(1, 0, leaves_, from, 0); }
  std::size_t leaves() const { return leaves_; }

 private:
  static constexpr std::int32_t kUnused = INT32_MAX / 2;

  void lower(std::size_t node, std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
    if (last <= begin || end <= first) return;
    if (first <= begin && end <= last) {
      --least_[node];
      --owed_[node];
      return;
    }
    const std::size_t middle = (begin + end) / 2;
    lower(2 * node, begin, middle, first, last);
    lower(2 * node + 1, middle, end, first, last);
    least_[node] = std::min(least_[2 * node], least_[2 * node + 1]) + owed_[node];
  }

  std::size_t next_zero(std::size_t node, std::size_t begin, std::size_t end, std::size_t from,
                        std::int32_t owed) const {
    if (end <= from || least_[node] + owed > 0) return leaves_;
    if (end - begin == 1) return begin;
    const std::size_t middle = (begin + end) / 2;
    const std::size_t left = next_zero(2 * node, begin, middle, from, owed + owed_[node]);
    return left < leaves_ ? left : next_zero(2 * node + 1, middle, end, from, owed + owed_[node]);
  }

  std::size_t leaves_;
  std::vector<std::int32_t> least_;  // of the node's range, without what its ancestors owe
  std::vector<std::int32_t> owed_;   // to be added to everything below
};

}  // namespace heddle::linearize
