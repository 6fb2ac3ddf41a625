// Where the lines of an older source are in a newer one, by their text.
//
// Of the older source only those lines are known that an artifact kept. A line whose text both have once is found by
// it. One whose text comes several times is taken to have moved as far as the nearest line that was found so; no two
// lines are found at the same place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// Without the blanks that a formatter may change.
std::string squeezed(std::string_view text);

class MovedLines {
 public:
  using Kept = std::map<std::uint32_t, std::string>;  // by line number
  MovedLines() = default;
  MovedLines(const Kept& before, const std::vector<std::string>& now);

  // Nothing is known where one of the two texts is missing.
  bool is_known() const { return known_; }
  // None: no line has its text any more, or it was not kept.
  std::optional<std::uint32_t> now(std::uint32_t before) const;
  // The same; where there is none, the line at which it would be.
  std::uint32_t about(std::uint32_t before) const;
  // Its text is in both sources once.
  bool is_unmistakable(std::uint32_t before) const { return sure_.contains(before); }
  // Such lines: how alike the two sources are.
  std::size_t landmarks() const { return sure_.size(); }
  // Was this line of the newer source found?
  bool is_old(std::uint32_t now) const { return taken_.contains(now); }

 private:
  std::int64_t shift_near(std::uint32_t before) const;

  bool known_ = false;
  std::map<std::uint32_t, std::uint32_t> found_;  // all
  std::map<std::uint32_t, std::uint32_t> sure_;   // of these, by a text that both have once
  std::map<std::uint32_t, std::uint32_t> taken_;  // found_ the other way round
};

}  // namespace heddle
