// What a long command shows while it goes on: one line on a terminal, written over again and again.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "tool/cli/terminal.h"
#include "tool/report/summary.h"

namespace heddle::cli {

class ProgressLine {
 public:
  explicit ProgressLine(bool enabled) : enabled_(enabled) {}
  void show(const report::Progress& progress) {
    if (enabled_) show(report::progress_line(progress, terminal_width() - 1));
  }
  void show(const std::string& text) {
    if (!enabled_) return;
    fmt::print(stderr, "\r\x1b[K{}", text);
    std::fflush(stderr);
    shown_ = true;
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  bool enabled_;
  bool shown_ = false;
};

}  // namespace heddle::cli
