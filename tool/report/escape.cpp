#include "tool/report/escape.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace heddle::report {
namespace {

constexpr std::string_view kEllipsis = "…";

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: no UTF-8 here
};

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  std::uint32_t value = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
  return {value, length};
}

bool turns_direction(std::uint32_t c) {
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f ||
         c == 0x61c;
}

bool is_control(std::uint32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029; }

// Ranges that terminals draw over two columns (East Asian scripts and pictographs) or none (combining marks).
std::size_t columns_of(std::uint32_t c) {
  if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200d) || (c >= 0xfe00 && c <= 0xfe0f)) return 0;
  if ((c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
      (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
      (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd)) {
    return 2;
  }
  return 1;
}

void escape_control(std::string& to, std::uint32_t c) {
  switch (c) {
    case '\n':
      to += "\\n";
      return;
    case '\t':
      to += "\\t";
      return;
    case '\r':
      to += "\\r";
      return;
    default:
      to += c < 0x100 ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{{{:x}}}", c);
  }
}

constexpr std::size_t kTabStop = 4;

// What cannot be cut in two: a character with the marks that combine with it, or an escape.
struct Cell {
  std::string shown;
  std::size_t columns = 0;
  std::size_t end = 0;  // in the text, behind the character
};

std::vector<Cell> cells_of(std::string_view text) {
  std::vector<Cell> cells;
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text.substr(at));
    const std::string_view character = text.substr(at, c.bytes == 0 ? 1 : c.bytes);
    at += character.size();
    if (character == "\t") {
      // Each column on its own, so that a tab can be cut. All of them end where the tab does.
      for (std::size_t left = kTabStop - used % kTabStop; left > 0; --left, ++used)
        cells.push_back({" ", 1, at});
      continue;
    }
    const std::string shown = escaped(character);
    const std::size_t columns = width_of(shown);
    used += columns;
    if (columns == 0 && !cells.empty()) {
      cells.back().shown += shown;
      cells.back().end = at;
    } else {
      cells.push_back({shown, columns, at});
    }
  }
  return cells;
}

enum class Keep { kNothing, kLines, kControls };

std::string made_safe(std::string_view text, Keep keep) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = decode(text);
    if (c.bytes == 0) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const bool stays = keep == Keep::kControls ||
                       (keep == Keep::kLines && (c.value == '\n' || c.value == '\t')) ||
                       (!is_control(c.value) && !turns_direction(c.value));
    if (stays) {
      safe += text.substr(0, c.bytes);
    } else {
      escape_control(safe, c.value);
    }
    text.remove_prefix(c.bytes);
  }
  return safe;
}

}  // namespace

std::string escaped(std::string_view text) { return made_safe(text, Keep::kNothing); }
std::string escaped_lines(std::string_view text) { return made_safe(text, Keep::kLines); }
std::string utf8(std::string_view text) { return made_safe(text, Keep::kControls); }

std::string json_for_terminals(std::string_view document) {
  std::string safe;
  safe.reserve(document.size());
  while (!document.empty()) {
    const CodePoint c = decode(document);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.value >= 0x7f && (is_control(c.value) || turns_direction(c.value))) {
      safe += fmt::format("\\u{:04x}", c.value);
    } else {
      safe += document.substr(0, bytes);
    }
    document.remove_prefix(bytes);
  }
  return safe;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = decode(text);
    width += c.bytes == 0 ? 1 : columns_of(c.value);
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return width;
}

std::string clipped(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  std::string kept;
  std::size_t used = 0;
  while (!text.empty() && width > 0) {
    const CodePoint c = decode(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes, columns = c.bytes == 0 ? 1 : columns_of(c.value);
    if (used + columns > width - 1) break;
    used += columns;
    kept += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return width == 0 ? "" : kept.append(kEllipsis);
}

std::string clipped_front(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return {};
  while (!text.empty() && width_of(text) > width - 1) {
    const CodePoint c = decode(text);
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return std::string(kEllipsis).append(text);
}

ClippedLine clipped_around(std::string_view text, std::size_t column, std::size_t width) {
  const std::vector<Cell> cells = cells_of(text);
  const bool has_place = column != 0 && column <= text.size();
  std::size_t place = 0;
  while (has_place && cells[place].end < column) ++place;
  // The part from `first` to `last` grows from the place to both sides, and beyond the end of the line to the
  // other side alone. The place itself is shown even where there is no space to say that more was cut off.
  std::size_t first = place, last = place, used = 0;
  const auto marks = [&](std::size_t from, std::size_t to) {
    return static_cast<std::size_t>(from > 0) + static_cast<std::size_t>(to < cells.size());
  };
  const auto grow = [&](bool to_left) {
    if (to_left ? first == 0 : last == cells.size()) return false;
    const std::size_t from = first - (to_left ? 1 : 0), to = last + (to_left ? 0 : 1);
    const std::size_t columns = used + cells[to_left ? from : last].columns;
    if (columns + (first == last ? 0 : marks(from, to)) > width) return false;
    first = from, last = to, used = columns;
    return true;
  };
  for (bool grows = grow(false); grows;) {
    const bool right = grow(false);
    grows = grow(true) || right;
  }
  ClippedLine line;
  if (first == last) return line;
  const bool marked = used + marks(first, last) <= width;
  if (marked && first > 0) line.text = kEllipsis;
  for (std::size_t i = first; i < last; ++i) {
    if (i == place && has_place) line.caret = width_of(line.text);
    line.text += cells[i].shown;
  }
  if (marked && last < cells.size()) line.text += kEllipsis;
  return line;
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t used = width_of(text);
  std::string result(text);
  if (used < width) result.append(width - used, ' ');
  return result;
}

}  // namespace heddle::report
