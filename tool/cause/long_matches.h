// Which elements of two long sequences correspond, where they differ little: a longest common subsequence (Myers, An
// O(ND) difference algorithm and its variations, Algorithmica 1986).
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace heddle::cause {

// Pairs of positions, growing. `is_equal` is asked with a position of each. Empty where more than `most_edits` elements of
// the two have no counterpart; memory grows with the square of that.
std::vector<std::pair<std::size_t, std::size_t>> long_matches(
    std::size_t rows, std::size_t columns, std::size_t most_edits,
    const std::function<bool(std::size_t, std::size_t)>& is_equal);

}  // namespace heddle::cause
