#include "tool/trace/test_failure.h"

#include <algorithm>
#include <charconv>

#include "tool/trace/symbols.h"

namespace heddle {
namespace {

constexpr std::size_t kMostText = 600;

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Colours of a framework that takes its output for a terminal.
std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i += 2;
      while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
      continue;
    }
    plain += text[i];
  }
  return plain;
}

// "path/cache_test.cpp:30" before ": Failure".
bool read_place(std::string_view text, TestFailure& failure) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view number = text.substr(colon + 1);
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), line);
  if (error != std::errc() || end != number.data() + number.size() || line == 0) return false;
  failure.file = std::string(text.substr(0, colon));
  failure.line = line;
  return true;
}

class GoogleTest {
 public:
  std::optional<TestFailure> read(std::string_view output) {
    constexpr std::string_view kRun = "[ RUN      ] ";
    constexpr std::string_view kFailure = ": Failure";
    while (!output.empty()) {
      const std::string line = without_colours(next_line(output));
      const std::size_t run = line.find(kRun);
      if (run != std::string::npos) test_ = trimmed(std::string_view(line).substr(run + kRun.size()));
      if (!line.ends_with(kFailure)) continue;
      TestFailure failure;
      failure.framework = "GoogleTest";
      failure.test = test_;
      const std::string_view place = std::string_view(line).substr(0, line.size() - kFailure.size());
      if (!read_place(place, failure) && place != "unknown file") continue;
      failure.text = message(output);
      return failure;
    }
    return std::nullopt;
  }

 private:
  // Up to what GoogleTest says next. "Which is: 3" belongs to the line before it.
  static std::string message(std::string_view rest) {
    constexpr std::string_view kWhichIs = "Which is: ";
    std::string text;
    while (!rest.empty() && text.size() < kMostText) {
      const std::string whole = without_colours(next_line(rest));
      const std::string_view line = trimmed(whole);
      if (line.empty() && !text.empty()) break;
      if (line.starts_with("[  ") || line.starts_with("[---") || line.starts_with("[ RUN") ||
          line.ends_with(": Failure") || line.starts_with("Google Test trace:"))
        break;
      if (line.starts_with(kWhichIs)) {
        text += " (which is " + std::string(line.substr(kWhichIs.size())) + ")";
        continue;
      }
      if (!text.empty()) text += text.back() == ':' ? " " : ", ";
      text += line;
    }
    if (text.size() > kMostText) text.resize(kMostText);
    return text;
  }

  std::string test_;
};

}  // namespace

std::optional<TestFailure> first_test_failure(std::string_view output) { return GoogleTest().read(output); }

std::string source_file_of(const TestFailure& failure, const Symbols& symbols) {
  if (failure.file.empty()) return {};
  std::string_view name = failure.file;
  while (name.starts_with("./")) name.remove_prefix(2);
  for (const auto& [pc, frames] : symbols.frames) {
    for (const Frame& frame : frames) {
      if (frame.file == name || (frame.file.size() > name.size() && frame.file.ends_with(name) &&
                                 frame.file[frame.file.size() - name.size() - 1] == '/'))
        return frame.file;
    }
  }
  return {};
}

}  // namespace heddle
