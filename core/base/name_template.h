// ThreadSanitizer's way to name things in suppressions: a template matches where its pieces occur in the
// name in this order; `*` stands between pieces, `^` and `$` tie the first and the last to the ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle {

// An empty name is matched by nothing.
inline bool matches_template(std::string_view pattern, std::string_view name) {
  if (name.empty()) return false;
  bool at_begin = false;
  if (pattern.starts_with('^')) {
    at_begin = true;
    pattern.remove_prefix(1);
  }
  bool after_star = false;
  while (!pattern.empty()) {
    if (pattern.front() == '*') {
      pattern.remove_prefix(1);
      at_begin = false;
      after_star = true;
      continue;
    }
    if (pattern.front() == '$') return name.empty() || after_star;
    if (name.empty()) return false;
    std::size_t length = 0;
    while (length < pattern.size() && pattern[length] != '*' && pattern[length] != '$') ++length;
    const std::string_view piece(pattern.begin(), pattern.begin() + length);
    pattern.remove_prefix(length);
    // A piece that has to end the name is looked for at the end, where an earlier one would not do.
    const bool at_end = pattern.starts_with('$') && !at_begin;
    const std::size_t found = at_end ? name.rfind(piece) : name.find(piece);
    if (found == std::string_view::npos || (at_begin && found != 0)) return false;
    name.remove_prefix(found + piece.size());
    at_begin = after_star = false;
  }
  return true;
}

}  // namespace heddle
