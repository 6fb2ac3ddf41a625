// Text from the tested program, its symbols or a file, made safe to show: it can neither move the cursor nor
// colour the terminal nor reverse the direction of writing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::report {

// One line: control characters, newlines included, become \n, \t, \x1b…; bytes that are no UTF-8 become \xNN;
// marks that change the direction of writing become \u{…}. All else stays.
std::string escaped(std::string_view text);

// Escapes as escaped() does, but newlines and tabs stay: for the program's output.
std::string escaped_lines(std::string_view text);

// Up to the first newline.
inline std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// Valid UTF-8 for JSON, which escapes control characters by itself: other bytes become \xNN.
std::string utf8(std::string_view text);

// A JSON document, which has no control characters below U+0020 in it, with those above them and marks of
// direction as \uNNNN: what they mean is the same, and a terminal that it is written to is safe.
std::string json_for_terminals(std::string_view document);

// Columns on a terminal of text that is escaped.
std::size_t width_of(std::string_view text);

// At most `width` columns; where something is cut off, "…" stands at the end (or at the beginning).
std::string clipped(std::string_view text, std::size_t width);
std::string clipped_front(std::string_view text, std::size_t width);

// A line of source in at most `width` columns, with the place that matters in sight.
struct ClippedLine {
  std::string text;  // escaped; tabs are spaces; "…" where something is cut off
  std::optional<std::size_t>
      caret;  // the column of `text`, from 0, where the place is; none: not in the line
};
// `text` is as the file has it. `column` is that of the debug information: bytes from 1, 0 if it is not known.
ClippedLine clipped_around(std::string_view text, std::size_t column, std::size_t width);

// Filled with spaces up to `width` columns.
std::string padded(std::string_view text, std::size_t width);

}  // namespace heddle::report
