#include "tool/cause/long_matches.h"

#include <algorithm>

namespace heddle::cause {
namespace {

using Signed = std::ptrdiff_t;

// By edits and diagonal (row minus column): the furthest row that so many edits reach there.
class Reached {
 public:
  void add_round() {
    const std::size_t edits = rounds_.size();
    rounds_.emplace_back(2 * edits + 1, Signed{0});
  }
  Signed& at(Signed edits, Signed diagonal) {
    return rounds_[static_cast<std::size_t>(edits)][static_cast<std::size_t>(diagonal + edits)];
  }
  // Is the last edit on the way there an element of the columns alone, not of the rows?
  bool skips_column(Signed edits, Signed diagonal) {
    return diagonal == -edits ||
           (diagonal != edits && at(edits - 1, diagonal - 1) < at(edits - 1, diagonal + 1));
  }
  // Where that edit began: row and column.
  std::pair<Signed, Signed> before(Signed edits, Signed diagonal) {
    const Signed from = skips_column(edits, diagonal) ? diagonal + 1 : diagonal - 1;
    const Signed row = at(edits - 1, from);
    return {row, row - from};
  }

 private:
  std::vector<std::vector<Signed>> rounds_;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> long_matches(
    std::size_t rows, std::size_t columns, std::size_t most_edits,
    const std::function<bool(std::size_t, std::size_t)>& is_equal) {
  const auto n = static_cast<Signed>(rows), m = static_cast<Signed>(columns);
  Reached reached;
  Signed needed = -1;
  for (Signed edits = 0; edits <= static_cast<Signed>(most_edits) && needed < 0; ++edits) {
    reached.add_round();
    for (Signed diagonal = -edits; diagonal <= edits && needed < 0; diagonal += 2) {
      Signed row = 0;
      if (edits != 0)
        row = reached.before(edits, diagonal).first + (reached.skips_column(edits, diagonal) ? 0 : 1);
      while (row < n && row - diagonal < m &&
             is_equal(static_cast<std::size_t>(row), static_cast<std::size_t>(row - diagonal)))
        ++row;
      reached.at(edits, diagonal) = row;
      if (row >= n && row - diagonal >= m) needed = edits;
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  Signed row = n, column = m;
  for (Signed edits = needed; edits >= 0; --edits) {
    const auto [from_row, from_column] =
        edits == 0 ? std::pair<Signed, Signed>{0, 0} : reached.before(edits, row - column);
    for (; row > from_row && column > from_column; --row, --column)
      pairs.emplace_back(static_cast<std::size_t>(row - 1), static_cast<std::size_t>(column - 1));
    row = from_row;
    column = from_column;
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace heddle::cause
