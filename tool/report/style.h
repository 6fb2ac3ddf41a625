// Colours for a terminal, or nothing at all.
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

class Style {
 public:
  explicit Style(bool color = false) : color_(color) {}

  std::string bold(std::string_view text) const { return in("1", text); }
  std::string dim(std::string_view text) const { return in("2", text); }
  std::string red(std::string_view text) const { return in("1;31", text); }
  std::string yellow(std::string_view text) const { return in("33", text); }
  std::string blue(std::string_view text) const { return in("34", text); }
  std::string cyan(std::string_view text) const { return in("36", text); }
  std::string magenta(std::string_view text) const { return in("1;35", text); }

 private:
  std::string in(const char* code, std::string_view text) const {
    if (!color_ || text.empty()) return std::string(text);
    return std::string("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
  }
  bool color_;
};

}  // namespace heddle::report
