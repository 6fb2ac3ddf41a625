#include "tool/report/shell_word.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tool/report/escape.h"

namespace heddle::report {

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("/._-+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  const bool has_control = escaped(word) != word;
  // A control character can be pasted only as part of $'…', where quotes and backslashes are written
  // differently.
  std::string quoted;
  for (const char c : word) {
    if (c == '\'') {
      quoted += has_control ? "\\'" : "'\\''";
    } else if (c == '\\' && has_control) {
      quoted += "\\\\";
    } else {
      const std::string_view one(&c, 1);
      quoted += has_control && static_cast<unsigned char>(c) < 0x80 ? escaped(one) : std::string(one);
    }
  }
  return has_control ? "$'" + escaped(quoted) + "'" : "'" + quoted + "'";
}

std::string path_word(const std::string& path) {
  return shell_word(path.starts_with('-') ? "./" + path : path);
}

}  // namespace heddle::report
