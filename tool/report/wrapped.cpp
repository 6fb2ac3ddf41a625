#include "tool/report/wrapped.h"

#include <algorithm>

#include "tool/report/escape.h"

namespace heddle::report {

std::vector<std::string> wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    std::replace(word.begin(), word.end(), kNoBreak, ' ');
    at = end + 1;
    const std::size_t room = lines.empty() ? width : width - indent;
    if (!line.empty() && width_of(line) + 1 + width_of(word) > room) {
      lines.push_back((lines.empty() ? "" : std::string(indent, ' ')) + line);
      line.clear();
    }
    const std::size_t space = lines.empty() ? width : width - indent;
    word = clipped(word, space);
    line += line.empty() ? word : " " + word;
  }
  if (!line.empty()) lines.push_back((lines.empty() ? "" : std::string(indent, ' ')) + line);
  return lines;
}

}  // namespace heddle::report
