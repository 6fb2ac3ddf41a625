// Words in lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::report {

// A space that holds its words together. No text that was escaped has this character.
inline constexpr char kNoBreak = '\x1f';

// Lines of at most `width` columns, all but the first indented by `indent`. Breaks at spaces, but not at kNoBreak;
// a word that is longer than a line is cut.
std::vector<std::string> wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

}  // namespace heddle::report
