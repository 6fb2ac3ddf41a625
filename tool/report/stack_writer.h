// Lines of text and stacks of places. StackWriter writes what stacks_text() tells; it knows no finding.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tool/report/places.h"
#include "tool/report/style.h"
#include "tool/report/text.h"

namespace heddle::report {

// Keeps references to the trace and the options, which have to outlive it.
class StackWriter {
 public:
  StackWriter(const Trace& trace, const TextOptions& options)
      : trace_(trace),
        options_(options),
        paths_(trace, options.strip_path_prefix),
        style_(options.color),
        is_full_(options.detail == Detail::kAll) {}

  void line(std::string_view text) { out_ += fmt::format("  {}\n", text); }
  void blank_line() { out_ += "\n"; }
  // A line, and a blank one after it in the full report.
  void paragraph(std::string_view text);
  // A heading and the stack of the part. Frames of libraries are folded unless the report is full.
  void place(const std::string& heading, const TracePart& part);

  const PathStyle& paths() const { return paths_; }
  const Style& style() const { return style_; }
  const std::string& text() const { return out_; }

 private:
  void fold(fmt::format_string<std::string> text, std::size_t frames);
  void frame(std::size_t number, const Frame& frame);
  void source(const Frame& frame);

  const Trace& trace_;
  const TextOptions& options_;
  PathStyle paths_;
  Style style_;
  bool is_full_;
  std::string out_;
};

}  // namespace heddle::report
