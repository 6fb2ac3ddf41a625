#include "tool/cli/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tool/base/atomic_file.h"
#include "tool/report/escape.h"

namespace heddle::cli {

namespace {

// Messages name files and quote what is in them. Nothing of that may move the cursor, and a line of it cannot
// look like one of ours: further lines are set in.
std::string safe_message(const std::string& text) {
  std::string safe;
  for (const char c : report::escaped_lines(text)) {
    safe += c;
    if (c == '\n') safe += "    ";
  }
  return safe;
}

}  // namespace

int complain(const Error& error) {
  fmt::print(stderr, "heddle: {}\n", safe_message(error.message));
  return static_cast<int>(error.code);
}

void warn(const std::string& text) { fmt::print(stderr, "heddle: warning: {}\n", safe_message(text)); }

std::size_t report_width() {
  constexpr std::size_t kElsewhere = 100, kNarrowest = 60, kWidest = 160;
  return stderr_is_terminal() ? std::clamp(terminal_width(), kNarrowest, kWidest) : kElsewhere;
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

bool use_color(ColorWish wish) {
  if (wish != ColorWish::kAuto) return wish == ColorWish::kAlways;
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return stderr_is_terminal() && term != nullptr && std::strcmp(term, "dumb") != 0;
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 100;
}

Result<double> parse_duration(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  double scale = 0;
  if (unit.empty() || unit == "s") scale = 1;
  if (unit == "ms") scale = 1e-3;
  if (unit == "m" || unit == "min") scale = 60;
  if (unit == "h") scale = 3600;
  if (end == text.c_str() || scale == 0 || !(number >= 0) || !std::isfinite(number)) {
    return Error{"'" + text + "' is no duration. Write for example 30s, 5m, 2h or 250ms."};
  }
  return number * scale;
}

Result<std::uint64_t> parse_size(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit = end;
  while (!unit.empty() && unit.front() == ' ') unit.erase(0, 1);
  if (!unit.empty() && (unit.back() == 'B' || unit.back() == 'b')) unit.pop_back();
  double scale = 0;
  if (unit.empty()) scale = 1;
  if (unit == "k" || unit == "K") scale = 1 << 10;
  if (unit == "m" || unit == "M") scale = 1 << 20;
  if (unit == "g" || unit == "G") scale = 1 << 30;
  if (end == text.c_str() || scale == 0 || !(number >= 0) || number * scale > 1e15) {
    return Error{"'" + text + "' is no size. Write for example 512M or 2G."};
  }
  return static_cast<std::uint64_t>(number * scale);
}

Result<Prune> parse_prune(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string number = colon == std::string::npos ? "" : text.substr(colon + 1);
  Prune prune;
  if (name == "conservative") prune.kind = PruneKind::kConservative;
  if (name == "aggressive") prune.kind = PruneKind::kAggressive;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), prune.window);
  const bool has_number = error == std::errc() && end == number.data() + number.size() && prune.window != 0;
  const bool known = name == "window" || prune.kind != PruneKind::kWindow;
  const bool takes_number = prune.kind != PruneKind::kConservative;
  if (!known || (colon != std::string::npos && !(takes_number && has_number))) {
    return Error{"'" + text +
                 "' is no way to prune. Write window:N, conservative or aggressive:N, with N from 1 on."};
  }
  return prune;
}

Status write_text_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
    return Done{};
  }
  std::fflush(stdout);  // /dev/stdout is a name, too
  return write_file_atomically(path, text);
}

}  // namespace heddle::cli
