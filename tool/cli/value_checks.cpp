#include "tool/cli/value_checks.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "tool/cli/suggest.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

bool has_only(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

std::string without(std::string text, std::string_view characters) {
  std::erase_if(text, [&](char c) { return characters.find(c) != std::string_view::npos; });
  return text;
}

// Empty: nothing is wrong.
std::string wrong_with_number(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool is_negative = text.size() > 1 && text[0] == '-';
  const std::string digits = text.substr(is_hexadecimal ? 2 : is_negative ? 1 : 0);
  if (!has_only(digits, is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789")) {
    const std::string plain = without(text, ",_'");
    if (plain != text && has_only(plain, "0123456789"))
      return fmt::format("'{}' is no number. Write it without separators: {}.", text, plain);
    return fmt::format("'{}' is no whole number. Write one from {} on, in digits.", text, least);
  }
  // Elsewhere this would be an octal number.
  if (!is_hexadecimal && digits.size() > 1 && digits[0] == '0')
    return fmt::format("'{}' begins with a 0. Write it without.", text);
  std::uint64_t number = 0;
  const auto end =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, is_hexadecimal ? 16 : 10);
  if (is_negative || (end.ec == std::errc() && number < least))
    return fmt::format("{} is too small; the smallest number here is {}.", text, least);
  if (end.ec != std::errc() || number > most)
    return fmt::format("{} is too large; the largest number here is {}.", text, most);
  return {};
}

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](const std::string& text) { return wrong_with_number(text, least, most); }, ""};
}

CLI::Validator exit_status() { return whole_number(0, 255); }

CLI::Validator duration() {
  return {[](const std::string& text) {
            const auto result = parse_duration(text);
            return result ? std::string() : result.error().message;
          },
          ""};
}

CLI::Validator size_of_memory() {
  return {[](const std::string& text) {
            const auto result = parse_size(text);
            return result ? std::string() : result.error().message;
          },
          ""};
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return {[words](const std::string& text) {
            if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
            return fmt::format("'{}' is none of {}.{}", text, fmt::join(words, ", "),
                               did_you_mean(text, words));
          },
          fmt::format("{{{}}}", fmt::join(words, ","))};
}

}  // namespace heddle::cli
